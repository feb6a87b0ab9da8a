import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';

/** One connection to V2Ray's API: gRPC, that is a length and a message each way over HTTP/2, and a status behind them. */
export interface EngineApi {
  /** The answer's message. Throws `RefusedByEngine` with what the engine says, or another error when it does not answer. */
  call(service: string, method: string, question: Buffer): Promise<Buffer>;
  close(): void;
}

export class RefusedByEngine extends Error {
  override readonly name = 'RefusedByEngine';
}

const ANSWER_MS = 5_000;
/** One byte that says "not compressed", and four of the length. */
const PREFIX_BYTES = 5;

export function openEngineApi(socketPath: string): EngineApi {
  const session = connect('http://engine', { createConnection: () => connectSocket(socketPath) });
  // Each call fails by itself.
  session.on('error', () => {});
  return {
    call: (service, method, question) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ':method': 'POST',
          ':path': `/${service}/${method}`,
          'content-type': 'application/grpc',
          te: 'trailers',
        });
        const parts: Buffer[] = [];
        let [status, message] = ['', ''];
        const note = (headers: Record<string, unknown>) => {
          if (headers['grpc-status'] === undefined) return;
          status = String(headers['grpc-status']);
          message = String(headers['grpc-message'] ?? '');
        };
        const timer = setTimeout(() => stream.destroy(new Error('the proxy does not answer')), ANSWER_MS);
        stream.on('response', note);
        stream.on('trailers', note);
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('error', reject);
        stream.on('close', () => {
          clearTimeout(timer);
          if (status === '0') resolve(Buffer.concat(parts).subarray(PREFIX_BYTES));
          else reject(status === '' ? new Error('the proxy ended the call') : new RefusedByEngine(message));
        });
        stream.end(prefixed(question));
      }),
    close: () => session.destroy(),
  };
}

function prefixed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
