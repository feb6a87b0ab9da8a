import { type Agent, request } from 'node:http';
import type { FuzzRequest } from './requests.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty for a stream. */
  readonly body: string;
}

/** A request that is not answered by then hangs. */
const DEADLINE_MS = 40_000;

/** Sends the bytes as they are. Throws when the server hangs or drops the connection. */
export async function sendRaw(origin: string, agent: Agent, made: FuzzRequest): Promise<FuzzAnswer> {
  const { hostname, port } = new URL(origin);
  return await new Promise((resolve, reject) => {
    const { method, path, headers, body } = made;
    const length = body ? { 'content-length': body.length } : {};
    const sent = request({ hostname, port, agent, method, path, headers: { ...headers, ...length } });
    const deadline = setTimeout(() => sent.destroy(new Error('no answer: it hangs')), DEADLINE_MS);
    const end = (answer: FuzzAnswer) => {
      clearTimeout(deadline);
      resolve(answer);
    };
    sent.on('error', (error) => {
      clearTimeout(deadline);
      reject(error);
    });
    sent.on('response', (response) => {
      const status = response.statusCode ?? 0;
      const chunks: Buffer[] = [];
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        end({ status, headers: response.headers, body: '' });
        sent.destroy();
        return;
      }
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => end({ status, headers: response.headers, body: Buffer.concat(chunks).toString() }));
    });
    sent.end(body);
  });
}
