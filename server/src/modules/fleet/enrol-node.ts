import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashEnrolmentToken } from './add-node.ts';
import { nodeSettingsOf } from './rules.ts';
import { selectEnrolled, takeEnrolment, updateRegistered } from './tables.ts';

/**
 * Exchanges a token for a registration. The registration number rises each time, so an agent enrolled earlier is
 * refused from now on (fencing). The same key with the same token gets the same answer again while the token is valid.
 * Refuses `enrolment_refused` for unknown, used and expired tokens alike.
 */
export async function enrolNode(
  deps: { db: Database; clock: Clock },
  request: { token: string; publicKey: string; wireguardPublicKey: string; from: string },
): Promise<{ nodeId: string; generation: number; settings: NodeSettings }> {
  const now = deps.clock.now();
  return await inTransaction(deps.db, async (tx) => {
    const tokenHash = hashEnrolmentToken(request.token);
    const nodeId = await takeEnrolment(tx, tokenHash, now);
    if (!nodeId) return await repeatEnrolment(tx, tokenHash, request.publicKey, now);
    const registered = await updateRegistered(tx, nodeId, {
      signingKey: request.publicKey,
      wireguardPublicKey: request.wireguardPublicKey,
      address: request.from,
    });
    if (!registered) throw new Refusal('enrolment_refused');
    return { nodeId, generation: registered.registration, settings: nodeSettingsOf(registered) };
  });
}

async function repeatEnrolment(tx: Tx, tokenHash: Buffer, publicKey: string, now: Date) {
  const enrolled = await selectEnrolled(tx, tokenHash, publicKey, now);
  if (!enrolled) throw new Refusal('enrolment_refused');
  return { nodeId: enrolled.node_id, generation: enrolled.registration, settings: nodeSettingsOf(enrolled) };
}
