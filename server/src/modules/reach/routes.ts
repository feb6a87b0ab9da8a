import type { reachCalls } from '@raha/contract/public/reach.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { requireService, type SignedInCaller } from '../sessions/caller.ts';
import { type AnswerDeps, answerReach } from './answer-reach.ts';
import { createOncePerHour } from './once-per-hour.ts';
import { readReach } from './read-reach.ts';

export function reachRoutes(deps: AnswerDeps): Handlers<typeof reachCalls, SignedInCaller, unknown> {
  const answered = createOncePerHour(deps.clock);
  return {
    async getReach({ caller, request }) {
      await requireService(deps, caller.user);
      return { success: true, data: await readReach(deps, request.ip) };
    },
    async answerReach({ caller, body, request }) {
      const { id: userId } = await requireService(deps, caller.user);
      await answerReach(deps, answered, { userId, address: request.ip, answer: body });
      return { success: true };
    },
  };
}
