import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What a proxy does in front of several servers: it asks `/readyz` of each all the time and forwards a request to one that is ready,
 * over connections that it keeps. It repeats nothing: what it cannot forward is a failure.
 */
export interface ReadyProxy {
  readonly origin: string;
  /** Requests that got no answer, or one of the 5xx class. */
  readonly failures: readonly string[];
  readonly answered: number;
  isReady(origin: string): boolean;
  close(): Promise<void>;
}

const EVERY_MS = 200;

export async function openReadyProxy(servers: readonly string[], port = 0): Promise<ReadyProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const ready = new Set<string>();
  const failures: string[] = [];
  let answered = 0;
  let turn = 0;
  const look = async (origin: string) => {
    const isReady = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) ready.add(origin);
    else ready.delete(origin);
  };
  const timer = setInterval(() => void Promise.all(servers.map(look)), EVERY_MS);
  await Promise.all(servers.map(look));

  const forward = (incoming: IncomingMessage, response: ServerResponse) => {
    const all = [...ready];
    turn += 1;
    const origin = all[turn % all.length];
    const what = `${incoming.method} ${incoming.url?.split('?')[0]} to ${origin}`;
    const fail = (why: string) => {
      // Our own client has left: no failure of a server.
      if (response.destroyed && !response.writableFinished) return;
      failures.push(`${what}: ${why}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end('{}');
    };
    if (!origin) return fail('no server is ready');
    const { connection: _connection, ...headers } = incoming.headers;
    const onwards = request(`${origin}${incoming.url}`, { method: incoming.method, headers, agent }, (answer) => {
      const { connection: _end, 'keep-alive': _keep, 'transfer-encoding': _coding, ...sent } = answer.headers;
      if ((answer.statusCode ?? 0) >= 500) failures.push(`${what}: ${answer.statusCode}`);
      response.writeHead(answer.statusCode ?? 0, sent);
      answer.on('error', (error) => fail(`broke off: ${error.message}`));
      answer.on('end', () => {
        answered += 1;
      });
      answer.pipe(response);
    });
    onwards.on('error', (error) => fail(error.message));
    response.on('close', () => {
      if (!response.writableFinished) onwards.destroy();
    });
    incoming.pipe(onwards);
  };
  const server = createServer(forward);
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    get answered() {
      return answered;
    },
    isReady: (origin) => ready.has(origin),
    async close() {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      agent.destroy();
    },
  };
}
