import { createServer } from 'node:net';

/** Below the ephemeral ports (Linux: from 32,768; IANA: from 49,152) and above the well-known ports of services. */
const FIRST = 15_000;
const LAST = 31_999;

/**
 * A port of the loopback interface for a program that will listen on it later, and again after each restart. A port chosen
 * by the system could be taken in the meantime by any new connection.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST + 1));
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => done(true)));
  });
}
