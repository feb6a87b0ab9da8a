import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A proxy before the product, as in production. It can go away, and can put another release of the web before the same server. */
export interface Front {
  readonly url: string;
  /** Open connections are cut and new ones refused until `restore`. */
  cut(): void;
  restore(): void;
  /** From now on the same program under other names, as a new release has them; those of the former are gone. */
  release(): void;
  close(): Promise<void>;
}

const RELEASE = 'second/';

export async function startFront(port: number): Promise<Front> {
  let isAway = false;
  let isNew = false;
  const server = createServer((incoming, outgoing) => {
    if (isAway) incoming.socket.destroy();
    else if (isNew) forwardRenamed(port, incoming, outgoing);
    else forward(port, incoming, outgoing);
  });
  server.on('connection', (socket) => {
    if (isAway) socket.destroy();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const bound = server.address();
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`,
    cut: () => {
      isAway = true;
      server.closeAllConnections();
    },
    restore: () => {
      isAway = false;
    },
    release: () => {
      isNew = true;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

function forward(port: number, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, url: path, headers } = incoming;
  const onward = ask({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

/** What documents, scripts and the service worker name is named anew; a file under its former name is not found. */
function forwardRenamed(port: number, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const path = incoming.url ?? '/';
  if (path.startsWith('/assets/') && !path.startsWith(`/assets/${RELEASE}`)) {
    outgoing.writeHead(404).end();
    return;
  }
  const isText =
    path.endsWith('.js') || (incoming.headers.accept ?? '').includes('text/html') || !path.startsWith('/api');
  if (!isText || incoming.method !== 'GET') {
    forward(port, incoming, outgoing);
    return;
  }
  const headers = { ...incoming.headers, 'accept-encoding': 'identity' };
  delete headers['if-none-match'];
  delete headers['if-modified-since'];
  const original = path.replace(`/assets/${RELEASE}`, '/assets/');
  ask({ port, host: '127.0.0.1', path: original, headers }, (answer) => {
    const parts: Buffer[] = [];
    answer.on('data', (part: Buffer) => parts.push(part));
    answer.on('end', () => {
      const { etag: _etag, 'last-modified': _modified, 'content-length': _length, ...kept } = answer.headers;
      const body = Buffer.concat(parts);
      if (typeof kept.link === 'string') kept.link = rename(kept.link);
      outgoing.writeHead(answer.statusCode ?? 502, kept);
      outgoing.end(/html|javascript/.test(kept['content-type'] ?? '') ? rename(body.toString()) : body);
    });
  }).end();
}

function rename(text: string): string {
  return text.replaceAll('assets/', `assets/${RELEASE}`).replace(/"release":"[^"]+"/, '"release":"second"');
}
