import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { UserConfig, UserFacts } from '@raha/contract/admin/people.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import { tehranDay } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { findStop } from '../accounts/service.ts';
import { findTrial } from '../accounts/trial.ts';
import { getPasswordHash, hasService, isStaff, type User } from '../accounts/users.ts';
import { type PlanState, readPlanState } from '../billing/read-plan.ts';
import type { ConfigDeps } from '../configs/create-config.ts';
import { listConfigs } from '../configs/list-configs.ts';
import { listFactors } from '../factors/list-factors.ts';
import { listNodes } from '../fleet/nodes.ts';
import { getUserAccounts } from '../ledger/user-accounts.ts';
import { listConnections } from '../metering/connections.ts';
import { readOwed } from '../payments/pay-debts.ts';
import { countOpenSessions } from '../sessions/list-sign-ins.ts';
import { readService } from '../sessions/read-service.ts';
import { isGiving } from '../subscriptions/allowance.ts';
import { decideAdvance, trafficOf } from '../subscriptions/rules.ts';
import { cutOf } from './rules.ts';
import { maskedContact } from './search-people.ts';

export type UserFactsDeps = ConfigDeps & { readonly publicUrl: string };

/**
 * What staff see of a user. State, balance and why a config is cut are read as the panel reads them; there are no secrets
 * and no keys, and nothing says from where somebody connected. `seesConfigs`: whether the role may see configs.
 */
export async function describeUserFacts(
  deps: UserFactsDeps,
  user: User,
  { seesConfigs, locale }: { readonly seesConfigs: boolean; readonly locale: Locale },
): Promise<UserFacts> {
  const { db } = deps;
  const now = deps.clock.now();
  const accounts = await getUserAccounts(db, user.id);
  const plan = await readPlanState(db, user.id, now);
  const facts = { user, accounts, stop: await findStop(db, user.id), trial: await findTrial(db, user.id) };
  const service = await readService(
    { db, clock: deps.clock, hasAllowance: async () => isGiving(plan.allowance) },
    facts,
  );
  const factors = await listFactors(db, deps.publicUrl, user.id);
  const sessions = await countOpenSessions(db, user.id, now);
  return {
    ...{ id: user.id, name: user.name, status: user.status, is_staff: isStaff(user), service },
    ...maskedContact(user),
    joined_at: user.created_at.toISOString(),
    email_verified: user.email_verified_at !== null,
    activated_at: user.activated_at?.toISOString() ?? null,
    balance: {
      free: toWire(accounts.walletToman),
      reserved: toWire(accounts.leaseToman),
      owed: toWire(await readOwed(db, deps, user)),
    },
    plan: describePlan(plan, now, locale),
    factors: {
      password: (await getPasswordHash(db, user.id)) !== null,
      passkeys: factors.passkeys.length,
      totp: factors.totp !== null,
      recovery_codes_left: factors.recovery_codes_left,
    },
    sessions: sessions.count,
    last_seen_at: sessions.lastUsedAt?.toISOString() ?? null,
    configs: seesConfigs ? await describeConfigs(deps, user, { accounts, plan }) : null,
    connections: seesConfigs ? await foldConnections(db, user.id, now) : null,
  };
}

function describePlan({ periods, usedBytes }: PlanState, now: Date, locale: Locale): UserFacts['plan'] {
  const { current: running } = decideAdvance(periods, now);
  const current = periods.find(({ id }) => id === running?.id);
  if (!current) return null;
  const limit = trafficOf(current);
  return {
    name: locale === 'fa' ? current.nameFa : current.nameEn,
    ends_at: current.endsAt.toISOString(),
    used: toWire(usedBytes.get(current.id) ?? 0n),
    limit: limit === undefined ? null : toWire(limit),
    max_devices: current.maxDevices,
    max_mbit: current.maxMbit ?? null,
  };
}

async function describeConfigs(
  deps: UserFactsDeps,
  user: User,
  known: Parameters<typeof listConfigs>[2],
): Promise<UserConfig[]> {
  const owner = { status: user.status, hasService: await hasService(deps.db, user, deps.clock.now()) };
  return (await listConfigs(deps, user, known)).map((config) => ({
    ...{ id: config.id, name: config.name, protocol: config.protocol, server: config.server.name },
    cut: cutOf(owner, config.service),
    ...{ connected: config.connected, applied: config.applied, used: config.totalTraffic },
    ...{ last_used_at: config.lastUsed, created_at: config.created_at },
  }));
}

/** The last connections, one line for each day and server. */
async function foldConnections(db: Executor, userId: string, now: Date): Promise<UserFacts['connections']> {
  const { rows } = await listConnections(db, userId, { number: 1, size: staffLimits.people.connections }, now);
  const names = new Map((await listNodes(db)).map(({ id, name }) => [id, name]));
  const lines = new Map<string, NonNullable<UserFacts['connections']>[number]>();
  for (const { node_id, started_at, ended_at, bytes } of rows) {
    const [day, server] = [tehranDay(started_at), names.get(node_id) ?? ''];
    const line = lines.get(`${day} ${node_id}`) ?? { day, server, times: 0, bytes: 0, is_open: false };
    line.times += 1;
    line.bytes += toWire(bytes);
    line.is_open ||= ended_at === null;
    lines.set(`${day} ${node_id}`, line);
  }
  return [...lines.values()];
}
