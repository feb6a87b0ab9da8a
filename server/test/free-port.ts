import { createServer } from 'node:net';

/** Below what systems hand out by themselves (Linux: from 32,768; IANA: from 49,152), above what services are known by. */
const FIRST = 15_000;
const LAST = 31_999;

/**
 * A port of the loopback interface for a program that will listen on it later, and again after each of its starts. One that
 * the system had chosen could be taken meanwhile by any connection that somebody opens.
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
