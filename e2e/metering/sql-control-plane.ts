import { randomBytes } from 'node:crypto';
import type { DesiredState, UsageReply, UsageReport } from '@raha/contract/node/protocol.ts';
import { sql } from 'kysely';
import { setSettingByKey } from '../../server/src/app/all-settings.ts';
import {
  activateUser,
  completeUserProfile,
  findOrCreateByProvedEmail,
} from '../../server/src/modules/accounts/users.ts';
import { receiveUsageReport } from '../../server/src/modules/billing/receive-usage-report.ts';
import { reclaimIdleLeases, restoreService } from '../../server/src/modules/billing/restore-service.ts';
import { createConfig } from '../../server/src/modules/configs/create-config.ts';
import { addNode } from '../../server/src/modules/fleet/add-node.ts';
import { noteHealth } from '../../server/src/modules/fleet/node-state.ts';
import { findNode } from '../../server/src/modules/fleet/nodes.ts';
import { house } from '../../server/src/modules/ledger/house.ts';
import { postTransfer } from '../../server/src/modules/ledger/post-transfer.ts';
import { getUserAccounts, openUserAccounts } from '../../server/src/modules/ledger/user-accounts.ts';
import { waitForDesiredState } from '../../server/src/modules/provisioning/desired-state.ts';
import type { Clock } from '../../server/src/platform/clock.ts';
import { inTransaction } from '../../server/src/platform/database.ts';
import { newId } from '../../server/src/platform/random.ts';
import type { TestWorld } from '../../server/test/world.ts';
import type { Bill, ControlPlane, Device } from './fleet.ts';
import { FIRST_PRICE, type Size } from './fleet-plans.ts';

type ManualClock = Clock & { advance(milliseconds: number): void };

let made = 0;

/** The real control plane on the real PostgreSQL, called as the HTTP layer calls it, in virtual time. */
export class SqlControlPlane implements ControlPlane {
  readonly #world: TestWorld;
  readonly #clock: ManualClock;
  #begin: number;
  readonly #nodes: readonly string[];
  readonly #people: readonly string[];
  readonly devices: readonly Device[];

  private constructor(
    world: TestWorld,
    clock: ManualClock,
    fleet: { nodes: string[]; people: string[]; devices: Device[] },
  ) {
    this.#world = world;
    this.#clock = clock;
    this.#begin = clock.now().getTime();
    this.#nodes = fleet.nodes;
    this.#people = fleet.people;
    this.devices = fleet.devices;
  }

  static async create(
    world: TestWorld,
    clock: ManualClock,
    size: Size,
    wallets: ReadonlyMap<number, bigint>,
  ): Promise<SqlControlPlane> {
    const nodes: string[] = [];
    for (let index = 0; index < size.nodes; index++) nodes.push(await openNode(world));
    const people: string[] = [];
    for (let index = 0; index < size.people; index++) people.push(await openUser(world, wallets.get(index) ?? 0n));
    const devices: Device[] = [];
    for (let index = 0; index < size.devices; index++) {
      const [user, node] = [index % size.people, index % size.nodes];
      const order = {
        name: `سری ${index}`,
        serverId: nodes[node] as string,
        protocol: 'wireguard',
        publicKey: newKey(),
      };
      const { config } = await createConfig(world.deps, people[user] as string, order);
      devices.push({ id: config.id, user, node, slot: config.slot });
    }
    return new SqlControlPlane(world, clock, { nodes, people, devices });
  }

  /** A fleet that an earlier program left in the database; `begin` is when its virtual time began. */
  static resume(
    world: TestWorld,
    clock: ManualClock,
    begin: Date,
    fleet: { nodes: string[]; people: string[]; devices: Device[] },
  ): SqlControlPlane {
    const control = new SqlControlPlane(world, clock, fleet);
    control.#begin = begin.getTime();
    return control;
  }

  async advance(now: number): Promise<void> {
    this.#clock.advance(this.#begin + now - this.#clock.now().getTime());
  }

  async report(node: number, report: UsageReport): Promise<UsageReply> {
    return await receiveUsageReport(this.#world.deps, this.#nodes[node] as string, report);
  }

  async desired(index: number, query: { after: number; epoch: string }): Promise<DesiredState> {
    const node = await findNode(this.#world.deps.db, this.#nodes[index] as string);
    if (!node) throw new Error('the node is gone');
    return await waitForDesiredState(this.#world.deps, node, { ...query, wait: 0 }, new AbortController().signal);
  }

  async topUp(user: number, toman: bigint): Promise<void> {
    await fund(this.#world, this.#people[user] as string, toman);
  }

  async restore(user: number): Promise<void> {
    await restoreService(this.#world.deps, this.#people[user] as string);
  }

  async reclaim(): Promise<void> {
    await reclaimIdleLeases(this.#world.deps);
  }

  async spend(user: number, percent: bigint): Promise<void> {
    const { deps } = this.#world;
    await inTransaction(deps.db, async (tx) => {
      const balance = await deps.lockBalance(tx, this.#people[user] as string);
      const amount = (balance.balanceToman * percent) / 100n;
      const now = deps.clock.now();
      const movements = [
        { accountId: balance.walletId, amountToman: -amount },
        { accountId: house.adjustment, amountToman: amount },
      ];
      const cause = { kind: 'adjustment', sourceType: 'fleet', sourceId: newId(now), purpose: 'spend' } as const;
      if (amount > 0n) await balance.spend(amount, () => postTransfer(tx, { ...cause, movements }, now));
    });
  }

  async setPrice(cents: number): Promise<void> {
    await setSettingByKey(this.#world.deps.db, 'price.usdCentsPerGb', String(cents), this.#clock.now());
  }

  /** In the order of the devices. */
  async bills(): Promise<Bill[]> {
    const ids = this.devices.map(({ id }) => id);
    const { rows } = await sql<Omit<Bill, 'wallet'> & { user_id: string }>`
      SELECT m.config_id AS id, m.user_id, m.billed_bytes AS billed, m.unbilled_bytes AS unbilled, m.unpaid_bytes AS unpaid, m.lease_limit_bytes AS "limit",
        m.hour_charged + coalesce((SELECT sum(charged_toman) FROM usage_hour h WHERE h.config_id = m.config_id), 0)::bigint AS charged
      FROM meter m WHERE m.config_id = ANY (${ids}::uuid[]) ORDER BY array_position(${ids}::uuid[], m.config_id)
    `.execute(this.#world.deps.db);
    const wallets = new Map<string, bigint>();
    for (const id of this.#people) wallets.set(id, (await getUserAccounts(this.#world.deps.db, id)).walletToman);
    return rows.map(({ user_id, ...bill }) => ({ ...bill, wallet: wallets.get(user_id) ?? 0n }));
  }

  /** The next fleet is independent of this one, and starts at the initial price. */
  async retire(): Promise<void> {
    const ids = this.devices.map(({ id }) => id);
    await sql`UPDATE meter SET final = true WHERE config_id = ANY (${ids}::uuid[])`.execute(this.#world.deps.db);
    await this.setPrice(FIRST_PRICE);
  }
}

async function openNode({ deps }: TestWorld): Promise<string> {
  made += 1;
  const location = { country: 'DE', city: 'Frankfurt', address: '198.51.100.2' };
  const { nodeId } = await addNode(deps, { name: `fleet-${made}`, ...location });
  const health = {
    load: 0,
    tunnelsUp: true,
    protocols: ['wireguard' as const],
    agentVersion: 'x',
    unmeteredUpperBoundBytes: 0,
  };
  await noteHealth(deps.db, nodeId, health, { pingMs: null, from: undefined }, deps.clock.now());
  await sql`UPDATE node SET wireguard_public_key = ${newKey()} WHERE id = ${nodeId}`.execute(deps.db);
  return nodeId;
}

async function openUser(world: TestWorld, toman: bigint): Promise<string> {
  const { deps } = world;
  const now = deps.clock.now();
  made += 1;
  const id = await inTransaction(deps.db, async (tx) => {
    const { user } = await findOrCreateByProvedEmail(tx, `fleet-${made}@mail.example`, now);
    await openUserAccounts(tx, user.id, now);
    await completeUserProfile(tx, deps.vault, user, 'سارا', now);
    await activateUser(tx, user.id, now);
    return user.id;
  });
  await fund(world, id, toman);
  return id;
}

async function fund({ deps }: TestWorld, userId: string, toman: bigint): Promise<void> {
  const now = deps.clock.now();
  const { walletId } = await getUserAccounts(deps.db, userId);
  const movements = [
    { accountId: house.adjustment, amountToman: -toman },
    { accountId: walletId, amountToman: toman },
  ];
  const cause = { kind: 'adjustment', sourceType: 'fleet', sourceId: newId(now), purpose: 'fund' } as const;
  await postTransfer(deps.db, { ...cause, movements }, now);
}

function newKey(): string {
  return `${randomBytes(31).toString('base64').slice(0, 42)}A=`;
}
