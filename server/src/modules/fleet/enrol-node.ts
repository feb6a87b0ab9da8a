import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashEnrolmentToken } from './add-node.ts';
import { nodeSettingsOf } from './rules.ts';
import { takeEnrolment, updateRegistered } from './tables.ts';

/**
 * Exchanges a token for a registration. Its number rises each time, so that an agent enrolled before is refused from now
 * on (fencing). Refuses `enrolment_refused` alike for unknown, used and expired tokens.
 */
export async function enrolNode(
  deps: { db: Database; clock: Clock },
  request: { token: string; publicKey: string; wireguardPublicKey: string; from: string },
): Promise<{ nodeId: string; generation: number; settings: NodeSettings }> {
  const now = deps.clock.now();
  return await inTransaction(deps.db, async (tx) => {
    const nodeId = await takeEnrolment(tx, hashEnrolmentToken(request.token), now);
    if (!nodeId) throw new Refusal('enrolment_refused');
    const registered = await updateRegistered(tx, nodeId, {
      signingKey: request.publicKey,
      wireguardPublicKey: request.wireguardPublicKey,
      address: request.from,
    });
    if (!registered) throw new Refusal('enrolment_refused');
    return { nodeId, generation: registered.registration, settings: nodeSettingsOf(registered) };
  });
}
