import type { adminEndpoints } from '@raha/contract/admin/table.ts';
import { type ErrorCode, errors } from '@raha/contract/errors.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Log } from '../platform/log.ts';

/**
 * What an operator needs to see an attack, and an owner's support to explain an account: one JSON line per event, with
 * `security` (the event), the call, the request id and the user's id; no address, name, code or token (OWASP ASVS 5.0,
 * chapter 16).
 */
type SecurityEvent =
  | 'signed-in'
  | 'sign-in-refused'
  | 'proof-refused'
  | 'throttled'
  | 'input-refused'
  | 'access-refused'
  | 'session-ended'
  | 'factor-changed'
  | 'password-changed'
  | 'address-changed'
  | 'account-closed';

type Name = keyof typeof publicEndpoints | keyof typeof adminEndpoints;

const signIns: ReadonlySet<string> = new Set<Name>([
  ...(['login', 'register', 'verifyCode', 'verifyEmail', 'completeProfile', 'completeRegistration'] as const),
  ...(['signInWithPasskey', 'completeSecondStep', 'googleOauth', 'socialReturn', 'resetPassword', 'refresh'] as const),
  ...(['enterStaffCode', 'completeStaffSignIn'] as const),
]);

const changes: Partial<Record<Name, SecurityEvent>> = {
  logout: 'session-ended',
  endSession: 'session-ended',
  endOtherSessions: 'session-ended',
  addPasskey: 'factor-changed',
  removePasskey: 'factor-changed',
  setPasskeySecondStep: 'factor-changed',
  confirmTotp: 'factor-changed',
  removeTotp: 'factor-changed',
  renewRecoveryCodes: 'factor-changed',
  addFirstPasskey: 'factor-changed',
  confirmFirstApp: 'factor-changed',
  signOutStaff: 'session-ended',
  changePassword: 'password-changed',
  resetPassword: 'password-changed',
  verifyNewEmail: 'address-changed',
  deactivateAccount: 'account-closed',
  deleteAccount: 'account-closed',
};

/** Refusals of input, which the panel's own forms never send: somebody tries what a call takes. */
const unreadable: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['invalid_input', 'malformed_body', 'unsupported_media_type', 'body_too_large'] as const),
]);

/** Refusals of a proof that a signed-in user gave. */
const wrongProofs: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['password_wrong', 'code_invalid', 'code_burnt']);

export function logSecurityEvents(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, done) => {
    const name = request.routeOptions.config.endpoint;
    const event = name === undefined ? undefined : eventOf(name, request, reply.statusCode);
    const { userId: user, refusedWith: code } = request;
    if (event) log.info({ security: event, call: name, code, user, request_id: request.id }, 'security event');
    done();
  });
}

function eventOf(name: string, request: FastifyRequest, status: number): SecurityEvent | undefined {
  const { refusedWith, userId } = request;
  const path = request.routeOptions.config.canonicalPath;
  if (status < 400) {
    const change = changes[name as Name];
    return change ?? (signIns.has(name) && name !== 'refresh' && userId ? 'signed-in' : undefined);
  }
  if (!refusedWith) return undefined;
  if (errors[refusedWith].status === 429) return 'throttled';
  if (unreadable.has(refusedWith)) return 'input-refused';
  if (signIns.has(name)) return 'sign-in-refused';
  if (wrongProofs.has(refusedWith)) return 'proof-refused';
  return isAccessRefused(refusedWith, userId, path) ? 'access-refused' : undefined;
}

/**
 * What the caller may not do, nodes and webhooks with a wrong signature, and objects that are not the caller's own, which
 * look like objects that do not exist. An access token that has run out is no event: every panel sends one a few times an
 * hour. Nor is a proof that is not fresh any more.
 */
function isAccessRefused(code: ErrorCode, userId: string | undefined, path: string | undefined): boolean {
  const { status } = errors[code];
  if (status === 404) return userId !== undefined && path?.includes('{') === true;
  return status === 403 || (status === 401 && code !== 'unauthenticated' && code !== 'proof_needed');
}
