import { createSocket } from 'node:dgram';

/**
 * The test internet's name server (RFC 1035). It answers every query for an address with the result of `addressOf`.
 */
export function serveNames(at: string, addressOf: (name: string, family: 4 | 6) => string | undefined): void {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => socket.send(answer(question, addressOf), from.port, from.address));
  // Bound to one address, so that replies come from it.
  socket.bind(53, at);
}

const HEADER_BYTES = 12;
const [TYPE_A, TYPE_AAAA] = [1, 28];

function answer(question: Buffer, addressOf: (name: string, family: 4 | 6) => string | undefined): Buffer {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = question.readUInt16BE(at + 1);
  const family = type === TYPE_A ? 4 : type === TYPE_AAAA ? 6 : undefined;
  const address = family && addressOf(labels.join('.').toLowerCase(), family);
  const header = Buffer.from(question.subarray(0, HEADER_BYTES));
  header.writeUInt16BE(0x8180, 2);
  for (const [offset, count] of [
    [4, 1],
    [6, address ? 1 : 0],
    [8, 0],
    [10, 0],
  ] as const)
    header.writeUInt16BE(count, offset);
  const asked = question.subarray(HEADER_BYTES, at + 5);
  if (!address) return Buffer.concat([header, asked]);
  const bytes = family === 4 ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const record = Buffer.from([0xc0, HEADER_BYTES, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
  return Buffer.concat([header, asked, record, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const zeros = Array<string>(8 - groups(head).length - groups(tail).length).fill('0');
  const all = [...groups(head), ...zeros, ...groups(tail)].map((group) => group.padStart(4, '0'));
  return Buffer.from(all.join(''), 'hex');
}
