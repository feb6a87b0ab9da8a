import { rolePermissions } from '@raha/contract/admin/roles.ts';
import type { staffSessions } from '@raha/contract/admin/sessions.ts';
import { limits } from '@raha/contract/limits.ts';
import type { FactorDeps } from '../factors/notify-change.ts';
import { deviceOf, rememberBrowser } from '../sessions/device.ts';
import { type CallDeps, takeCall } from '../sessions/take-call.ts';
import type { AdminHandlers } from './admit.ts';
import { CONSOLE_PATH, forgetSession, keepSession, keepSignIn } from './cookies.ts';
import { addFirstPasskey, confirmFirstApp, startFirstApp, startFirstPasskey } from './enrol.ts';
import { offerProof, prove } from './prove.ts';
import { deleteOtherSessions, deleteSession, selectOpenSessions } from './session-tables.ts';
import { completeSignIn, describeSignIn, enterCode, offerSignInPasskey, sendStaffCode } from './sign-in.ts';

type Deps = FactorDeps & CallDeps & { readonly secureCookies: boolean };

/** Signing in to the console, and the own session. */
export function staffSessionRoutes(deps: Deps): AdminHandlers<typeof staffSessions> {
  const secure = deps.secureCookies;
  return {
    async sendStaffCode({ body, request, reply }) {
      await takeCall(deps, request, reply, 'code');
      const device = rememberBrowser(request, reply, secure, CONSOLE_PATH);
      const { retryAfterSeconds, digits } = await sendStaffCode(deps, body.email, device);
      return { success: true, retry_after: retryAfterSeconds, code_length: digits };
    },
    async enterStaffCode({ body, request, reply }) {
      await takeCall(deps, request, reply, 'code');
      const { token, signIn } = await enterCode(deps, { ...body, device: deviceOf(request) });
      keepSignIn(reply, token, secure);
      return { success: true, data: signIn };
    },
    async getStaffSignIn({ caller }) {
      return { success: true, data: await describeSignIn(deps, caller) };
    },
    async startStaffPasskey({ caller }) {
      return { success: true, data: { options: await offerSignInPasskey(deps, caller) } };
    },
    async completeStaffSignIn({ caller, body, request, reply }) {
      keepSession(reply, await completeSignIn(deps, caller, body, deviceOf(request)), secure);
      return { success: true };
    },
    async startFirstPasskey({ caller }) {
      return { success: true, data: { options: await startFirstPasskey(deps, caller) } };
    },
    async addFirstPasskey({ caller, body, request, reply }) {
      const { token, recoveryCodes } = await addFirstPasskey(deps, caller, body, deviceOf(request));
      keepSession(reply, token, secure);
      return { success: true, data: { recovery_codes: recoveryCodes } };
    },
    async startFirstApp({ caller }) {
      return { success: true, data: await startFirstApp(deps, caller) };
    },
    async confirmFirstApp({ caller, body, request, reply }) {
      const { token, recoveryCodes } = await confirmFirstApp(deps, caller, body.code, deviceOf(request));
      keepSession(reply, token, secure);
      return { success: true, data: { recovery_codes: recoveryCodes } };
    },
    async getStaffSelf({ caller }) {
      const { userId: id, email, role, provedUntil, expiresAt } = caller;
      const permissions = [...rolePermissions[role]];
      const times = { proved_until: provedUntil.toISOString(), expires_at: expiresAt.toISOString() };
      return { success: true, data: { id, email, role, permissions, ...times } };
    },
    async listStaffSessions({ caller }) {
      const rows = await selectOpenSessions(deps.db, caller.userId, deps.clock.now());
      const sessions = rows.map(({ id, created_at, last_used_at }) => ({
        ...{ id, created_at: created_at.toISOString(), last_used_at: last_used_at.toISOString() },
        is_this: id === caller.sessionId,
      }));
      return { success: true, data: { sessions } };
    },
    async endOtherStaffSessions({ caller }) {
      await deleteOtherSessions(deps.db, caller.userId, caller.sessionId);
      return { success: true };
    },
    async startStaffProof({ caller }) {
      return { success: true, data: { options: await offerProof(deps, caller) } };
    },
    async proveStaff({ caller, body }) {
      deps.minuteLimit.take(`staff proof ${caller.sessionId}`, limits.knownBrowserCallsPerMinute);
      return { success: true, data: { proved_until: (await prove(deps, caller, body)).toISOString() } };
    },
    async signOutStaff({ caller, reply }) {
      await deleteSession(deps.db, caller.sessionId);
      forgetSession(reply, secure);
      return { success: true };
    },
  };
}
