import type { AdminEndpoint, AdminTable } from '@raha/contract/admin/endpoint.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { rolePermissions } from '@raha/contract/admin/roles.ts';
import type { FastifyRequest } from 'fastify';
import { addSeconds, secondsBetween } from '../../platform/clock.ts';
import type { HandlersFor } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashToken } from '../sessions/tokens.ts';
import { admitToken, readMachineToken, type TokenDeps } from './admit-token.ts';
import { readSessionToken, readSignInToken } from './cookies.ts';
import { selectSession, selectSignIn, updateUsed } from './session-tables.ts';
import { actorOf, type StaffCaller } from './staff-caller.ts';

/** A member whose mailed code was right and whose factor is due. */
export interface PendingCaller {
  readonly userId: string;
  readonly tokenHash: Buffer;
  /** Until when the first factor may be set up. */
  readonly enrolUntil: Date;
  readonly expiresAt: Date;
}

export type AdminHandlers<T extends AdminTable> = HandlersFor<
  T,
  { staff: StaffCaller; self: StaffCaller; pending: PendingCaller }
>;

export { actorOf, type StaffCaller };

/**
 * The one place where a call of the console is let through. Only the cookie of a staff session
 * counts, or a token that was made for a program: no token of the panel does.
 * Refuses `cross_site` (a change without the console's header, which a form of another site cannot send), `unauthenticated`,
 * `second_step_expired`, `forbidden` and `proof_needed`. The reason is part of the body, which the schema asks for.
 */
export async function admit(
  deps: TokenDeps,
  endpoint: AdminEndpoint,
  request: FastifyRequest,
): Promise<StaffCaller | PendingCaller | undefined> {
  const token = endpoint.caller === 'staff' || endpoint.caller === 'self' ? readMachineToken(request) : undefined;
  if (token !== undefined) return await admitToken(deps, endpoint, request, token);
  if (endpoint.method !== 'GET' && request.headers['x-raha-console'] !== '1') throw new Refusal('cross_site');
  if (endpoint.caller === 'visitor') return undefined;
  if (endpoint.caller === 'pending') return await findPending(deps, request);
  const caller = await authenticate(deps, request);
  if (endpoint.caller === 'self') return caller;
  if (!caller.permissions.includes(endpoint.may)) throw new Refusal('forbidden');
  if (isProofOver(endpoint.proof, caller, deps.clock.now())) throw new Refusal('proof_needed');
  return caller;
}

async function findPending({ db, clock }: TokenDeps, request: FastifyRequest): Promise<PendingCaller> {
  const token = readSignInToken(request);
  const tokenHash = hashToken(token ?? '');
  const row = token === undefined ? undefined : await selectSignIn(db, tokenHash, clock.now());
  if (!row) throw new Refusal('second_step_expired');
  request.userId = row.user_id;
  return { userId: row.user_id, tokenHash, enrolUntil: row.enrol_until, expiresAt: row.expires_at };
}

/** Not at every call: nobody needs to know to the second when a session was used last. */
const NOTED_EVERY_SECONDS = 60;

async function authenticate({ db, clock }: TokenDeps, request: FastifyRequest): Promise<StaffCaller> {
  const now = clock.now();
  const token = readSessionToken(request);
  const row = token === undefined ? undefined : await selectSession(db, hashToken(token), now);
  if (!row) throw new Refusal('unauthenticated');
  request.userId = row.user_id;
  // A screen that reads by itself keeps nobody signed in.
  const isPoll = request.headers['x-raha-poll'] === '1';
  if (!isPoll && secondsBetween(row.last_used_at, now) >= NOTED_EVERY_SECONDS) await updateUsed(db, row.id, now);
  return {
    userId: row.user_id,
    email: row.email,
    role: row.role,
    permissions: rolePermissions[row.role],
    sessionId: row.id,
    provedAt: row.proved_at,
    provedUntil: provedUntil(row.proved_at),
    expiresAt: row.expires_at,
  };
}

function isProofOver(proof: 'none' | 'recent' | 'money', { provedAt }: StaffCaller, now: Date): boolean {
  const minutes = proof === 'money' ? staffLimits.moneyProofMinutes : staffLimits.proofMinutes;
  return proof !== 'none' && addSeconds(provedAt, minutes * 60) < now;
}

export function provedUntil(provedAt: Date): Date {
  return addSeconds(provedAt, staffLimits.proofMinutes * 60);
}
