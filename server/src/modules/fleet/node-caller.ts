import { createHash } from 'node:crypto';
import { NODE_AUDIENCE, NODE_TOKEN_SECONDS } from '@raha/contract/node/protocol.ts';
import type { FastifyRequest } from 'fastify';
import { decodeJwt, importJWK, jwtVerify } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { rawBodyOf } from '../../platform/http/raw-body.ts';
import { Refusal } from '../../platform/refusal.ts';
import { noteAnomaly } from './anomalies.ts';
import { type NodeRow, selectNode } from './tables.ts';

/**
 * Finds the node that signed a request (private_key_jwt, RFC 7523; bound to method, path and body as in RFC 9449).
 * Refuses a token for another request, of an older registration or of a revoked node.
 */
export async function authenticateNode(
  deps: { db: Database; clock: Clock },
  request: FastifyRequest,
): Promise<NodeRow> {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token) throw new Refusal('node_unauthenticated');
  const { node, registration } = await claimedNode(deps.db, token);
  if (!node?.signing_key) throw new Refusal('node_unauthenticated');
  // Each enrolment brings a new key, so an older agent can be recognised only by its unverified claims; it is refused
  // either way.
  if (registration !== node.registration) {
    await noteFormerMachine(deps, node, token);
    throw new Refusal('node_superseded');
  }
  const claims = await verify(node.signing_key, token, node.id, deps.clock);
  if (claims.htm !== request.method || claims.htu !== request.url || claims.bh !== bodyHash(rawBodyOf(request))) {
    throw new Refusal('node_unauthenticated');
  }
  if (node.status === 'revoked') throw new Refusal('node_superseded');
  return node;
}

/**
 * Records that a replaced machine, or somebody with its key, still sends requests. The request is refused in any case.
 */
async function noteFormerMachine(deps: { db: Database; clock: Clock }, node: NodeRow, token: string): Promise<void> {
  if (!node.former_signing_key) return;
  try {
    await verify(node.former_signing_key, token, node.id, deps.clock);
  } catch {
    // Not signed with the former key: anybody can send such a token.
    return;
  }
  await noteAnomaly(deps.db, node.id, 'former_machine', deps.clock.now());
}

const UUID = /^[0-9a-f-]{36}$/;

async function claimedNode(
  db: Database,
  token: string,
): Promise<{ node?: NodeRow | undefined; registration?: unknown }> {
  const { sub, gen } = claimsOf(token);
  return sub && UUID.test(sub) ? { node: await selectNode(db, sub), registration: gen } : {};
}

/** Not verified. Only this may fail: a database that does not answer is no reason to refuse a node. */
function claimsOf(token: string): { readonly sub?: string | undefined; readonly gen?: unknown } {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
}

const keys = new Map<string, ReturnType<typeof importJWK>>();

async function verify(publicKey: string, token: string, nodeId: string, clock: Clock) {
  let key = keys.get(publicKey);
  if (!key) {
    key = importJWK({ kty: 'OKP', crv: 'Ed25519', x: publicKey }, 'EdDSA');
    keys.set(publicKey, key);
  }
  try {
    const { payload } = await jwtVerify(token, await key, {
      algorithms: ['EdDSA'],
      audience: NODE_AUDIENCE,
      issuer: nodeId,
      subject: nodeId,
      requiredClaims: ['exp', 'iat', 'gen', 'htm', 'htu'],
      maxTokenAge: NODE_TOKEN_SECONDS,
      clockTolerance: 5,
      currentDate: clock.now(),
    });
    return payload;
  } catch {
    throw new Refusal('node_unauthenticated');
  }
}

function bodyHash(body: string | undefined): string {
  return body ? createHash('sha256').update(body).digest('base64url') : '';
}
