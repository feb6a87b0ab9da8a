import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { resendMessage } from '../../src/modules/profile/resend-message.ts';
import { makeUser } from '../money/bench.ts';
import { actor } from '../world.ts';
import type { Act } from './audit-acts.ts';

export const deliveryActs: Readonly<Record<string, Act>> = {
  'deliveries.resend': async ({ world, clock }) => {
    const { id: userId } = await makeUser(world);
    const id = randomUUID();
    const now = clock.now();
    await sql`
      INSERT INTO delivery (id, user_id, channel, kind, state, attempts, first_at, at)
      VALUES (${id}, ${userId}, 'mail', 'password_link', 'sent', 1, ${now}, ${now})
    `.execute(world.deps.db);
    return () => resendMessage(world.deps, { actor, id });
  },
};
