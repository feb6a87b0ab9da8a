import type { sessions } from '@raha/contract/public/sessions.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { SignedInCaller } from './caller.ts';
import type { AuthDeps } from './give-session.ts';
import { endOwnSession, endSessionsOf, selectLiveSessions } from './tables.ts';

/** Where an account is signed in, and signing the others out. */
export function sessionRoutes(deps: AuthDeps): Handlers<typeof sessions, SignedInCaller, unknown> {
  const tell = async (userId: string, sessionId: string) => {
    await deps.bus.announce(deps.db, { topic: 'user', userId, event: { type: 'session-ended', sessionId } });
  };
  return {
    async listSessions({ caller }) {
      const rows = await selectLiveSessions(deps.db, caller.person.id, deps.clock.now());
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
      const userId = caller.person.id;
      if (!(await endOwnSession(deps.db, userId, params.id, deps.clock.now()))) throw new Refusal('not_found');
      await tell(userId, params.id);
      return { success: true };
    },
    async endOtherSessions({ caller }) {
      const userId = caller.person.id;
      const ended = await endSessionsOf(deps.db, userId, caller.sessionId, 'ended by its owner', deps.clock.now());
      for (const id of ended) await tell(userId, id);
      return { success: true };
    },
  };
}
