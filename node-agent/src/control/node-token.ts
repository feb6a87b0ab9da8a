import { createHash, type KeyObject, sign } from 'node:crypto';
import { NODE_AUDIENCE, NODE_TOKEN_SECONDS } from '@raha/contract/node/protocol.ts';

export interface TokenRequest {
  readonly nodeId: string;
  readonly generation: number;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string | undefined;
  /** Seconds since 1970 by the control plane's clock, as far as known. */
  readonly nowSeconds: number;
}

const HEADER = encode({ alg: 'EdDSA', typ: 'JWT' });

/** A JWT good for one request (RFC 7519, RFC 8037; bound to method, path and body in the manner of RFC 9449). */
export function signNodeToken(key: KeyObject, request: TokenRequest): string {
  const claims = encode({
    iss: request.nodeId,
    sub: request.nodeId,
    aud: NODE_AUDIENCE,
    iat: request.nowSeconds,
    exp: request.nowSeconds + NODE_TOKEN_SECONDS,
    gen: request.generation,
    htm: request.method,
    htu: request.path,
    bh: request.body ? createHash('sha256').update(request.body).digest('base64url') : '',
  });
  const input = `${HEADER}.${claims}`;
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
