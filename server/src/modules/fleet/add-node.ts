import { createHash } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
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
  /** The number of configs for which the node has addresses. */
  readonly addressLimit?: number | undefined;
}

/**
 * Registers a future node and returns the single-use token with which its agent enrols. `also` is done in the same
 * transaction.
 */
export async function addNode(
  deps: { db: Database; clock: Clock },
  order: NodeOrder,
  also: (tx: Tx, nodeId: string) => Promise<void> = async () => undefined,
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
    await also(tx, nodeId);
  });
  return { nodeId, token };
}

/** A new token for an existing node whose machine was set up anew. The old agent is refused once the new one enrols. */
export async function renewEnrolment(
  deps: { db: Database; clock: Clock },
  name: string,
  also: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<{ nodeId: string; token: string } | undefined> {
  const now = deps.clock.now();
  const node = await selectNodeByName(deps.db, name);
  if (!node) return undefined;
  const token = newToken();
  await inTransaction(deps.db, async (tx) => {
    await insertEnrolment(tx, { tokenHash: hashEnrolmentToken(token), nodeId: node.id, expiresAt: expiry(now) });
    await also(tx);
  });
  return { nodeId: node.id, token };
}

/**
 * Starts with a word: one random token in 64 would otherwise start with a hyphen, and command lines would read it as an
 * option.
 */
function newToken(): string {
  return `enrol_${newSecret()}`;
}

export function hashEnrolmentToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function expiry(now: Date): Date {
  return addSeconds(now, limits.node.enrolmentTokenMinutes * 60);
}
