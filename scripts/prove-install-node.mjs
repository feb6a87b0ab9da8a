import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { enrolWith } from '../server/test/fake-node.ts';

/**
 * A VPN server for prove-install.mjs, without tunnels: enrols with a token, waits for changes by long polls, and reports four times a
 * second, until its parent says stop; then says how often, and what failed. `fork('prove-install-node.mjs', [SITE, TOKEN])`.
 */
const [site, token] = process.argv.slice(2);
const counts = { polls: 0, reports: 0, failures: [] };
// No DNS knows the site, and its certificate is of an authority of its own.
const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
const relay = createServer((asked, answer) => {
  const { method, url: path, headers } = asked;
  const options = { agent, host: '127.0.0.1', servername: site, method, path, headers: { ...headers, host: site } };
  const sent = request(options, (received) => {
    answer.writeHead(received.statusCode, received.headers);
    received.pipe(answer);
  });
  sent.on('error', () => answer.destroy());
  asked.pipe(sent);
}).listen(0, '127.0.0.1');
await once(relay, 'listening');

const node = await enrolWith({ origin: `http://127.0.0.1:${relay.address().port}` }, token);
await node.report([]);
await node.settle();
let isOver = false;
const repeat = async (kind, act, pauseMs) => {
  while (!isOver) {
    await act().catch((error) =>
      counts.failures.push(`${kind}: ${error.status ?? error.cause?.code ?? error.message}`),
    );
    counts[kind] += 1;
    await sleep(pauseMs);
  }
};
const work = [repeat('polls', () => node.sync(5), 0), repeat('reports', () => node.report([]), 250)];
process.send('ready');
await once(process, 'message');
isOver = true;
await Promise.all(work);
process.send(counts);
process.disconnect();
relay.close();
agent.destroy();
