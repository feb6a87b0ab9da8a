import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';

/**
 * Prints a name's IPv4 address according to a name server; nothing when it does not answer. One query, because the tests count
 * them, and from a given port: one that left from the port of an earlier query would be translated as that one was (the
 * kernel remembers UDP flows for half a minute). Run inside a namespace.
 */
const [name = '', server = '', seconds = '5', port = '0'] = process.argv.slice(2);
/** The server's port may follow an IPv4 address. */
const [address = '', serverPort = '53'] = isIPv6(server) ? [server] : server.split(':');
const socket = createSocket(isIPv6(server) ? 'udp6' : 'udp4');
const timer = setTimeout(() => socket.close(), Number(seconds) * 1_000);
socket.on('error', () => {
  clearTimeout(timer);
  socket.close();
});
socket.on('message', (answer) => {
  clearTimeout(timer);
  process.stdout.write(addressIn(answer) ?? '');
  socket.close();
});
socket.bind(Number(port), () =>
  socket.connect(Number(serverPort), address, (error?: Error) =>
    error ? socket.emit('error', error) : socket.send(query(name)),
  ),
);

/** RFC 1035, section 4: one question for an A record, recursion desired. */
function query(asked: string): Buffer {
  const labels = asked.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]);
  return Buffer.from([0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...labels, 0, 0, 1, 0, 1]);
}

/** The first A record: its name is a pointer of two bytes, as all our resolvers write it. */
function addressIn(answer: Buffer): string | undefined {
  for (let at = query(name).length; at + 12 <= answer.length; at += 12 + answer.readUInt16BE(at + 10))
    if (answer.readUInt16BE(at + 2) === 1) return answer.subarray(at + 12, at + 16).join('.');
  return undefined;
}
