import type { sessions } from '@raha/contract/public/sessions.ts';
import { inTransaction } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { SignedInCaller } from './caller.ts';
import { endSession, endSessions } from './end-sessions.ts';
import type { AuthDeps } from './give-session.ts';
import { selectLiveSessions } from './tables.ts';

/** Where an account is signed in, and ending its other sessions. */
export function sessionRoutes(deps: AuthDeps): Handlers<typeof sessions, SignedInCaller, unknown> {
  return {
    async listSessions({ caller }) {
      const rows = await selectLiveSessions(deps.db, caller.user.id, deps.clock.now());
      const sessions = rows.map((row) => ({
        id: row.id,
        current: row.id === caller.sessionId,
        device: row.device,
        method: row.method,
        created_at: row.created_at.toISOString(),
        last_used_at: row.last_used_at.toISOString(),
      }));
      return { success: true, data: { sessions } };
    },
    async endSession({ caller, params }) {
      const userId = caller.user.id;
      const isEnded = await inTransaction(deps.db, (tx) =>
        endSession(tx, deps, userId, params.id, 'ended by its owner'),
      );
      if (!isEnded) throw new Refusal('not_found');
      return { success: true };
    },
    async endOtherSessions({ caller }) {
      const { user, sessionId } = caller;
      await inTransaction(deps.db, (tx) => endSessions(tx, deps, user.id, sessionId, 'ended by its owner'));
      return { success: true };
    },
  };
}
