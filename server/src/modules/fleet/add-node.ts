import { createHash } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { newId, newSecret } from '../../platform/random.ts';
import { insertEnrolment, insertNode, selectNodeByName } from './tables.ts';

export interface NodeOrder {
  readonly name: string;
  readonly country: string;
  readonly city: string;
  /** Host name or address that clients dial (`readHost`); learned from the enrolment request when absent. */
  readonly address?: string | undefined;
  /** UDP ports on which the node listens, for WireGuard and for OpenVPN. */
  readonly port?: number | undefined;
  readonly openvpnPort?: number | undefined;
  /** How many configs the node has addresses for. */
  readonly addressLimit?: number | undefined;
}

/** Registers a node that will come, and gives the single-use token with which its agent enrols. */
export async function addNode(
  deps: { db: Database; clock: Clock },
  order: NodeOrder,
): Promise<{ nodeId: string; token: string }> {
  const now = deps.clock.now();
  const nodeId = newId(now);
  const token = newToken();
  await inTransaction(deps.db, async (tx) => {
    await insertNode(
      tx,
      {
        id: nodeId,
        name: order.name,
        country: order.country.toUpperCase(),
        city: order.city,
        address: order.address ?? null,
        port: order.port ?? 51_820,
        openvpnPort: order.openvpnPort ?? 1194,
        addressLimit: order.addressLimit ?? limits.node.addressesPerNode,
      },
      now,
    );
    await insertEnrolment(tx, { tokenHash: hashEnrolmentToken(token), nodeId, expiresAt: expiry(now) });
  });
  return { nodeId, token };
}

/** A fresh token for a node that exists: its machine was set up anew. The old agent is refused once the new one enrols. */
export async function renewEnrolment(
  deps: { db: Database; clock: Clock },
  name: string,
): Promise<{ nodeId: string; token: string } | undefined> {
  const now = deps.clock.now();
  const node = await selectNodeByName(deps.db, name);
  if (!node) return undefined;
  const token = newToken();
  await inTransaction(deps.db, (tx) =>
    insertEnrolment(tx, { tokenHash: hashEnrolmentToken(token), nodeId: node.id, expiresAt: expiry(now) }),
  );
  return { nodeId: node.id, token };
}

/** Begins with a word: one token in 64 would otherwise begin with a hyphen, and be an option to every command line. */
function newToken(): string {
  return `enrol_${newSecret()}`;
}

export function hashEnrolmentToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function expiry(now: Date): Date {
  return addSeconds(now, limits.node.enrolmentTokenMinutes * 60);
}
