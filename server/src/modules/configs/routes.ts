import type { configs, connection } from '@raha/contract/public/configs.ts';
import { readRows } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { RowsOfEach } from '../../platform/statements.ts';
import { hasService, type User } from '../accounts/users.ts';
import { describePlanState, planPeriods } from '../billing/read-plan.ts';
import { fileOf } from '../client-files/write-client-file.ts';
import type { WatchedConfigs } from '../metering/watched-configs.ts';
import { type ReadAhead, requireActive, requireService, type SignedInCaller } from '../sessions/caller.ts';
import { deleteConfig, renameConfig, resetConfig, setBlocked } from './change-config.ts';
import { readConnection, readMetrics } from './connection-state.ts';
import { type ConfigDeps, createConfig } from './create-config.ts';
import { describeConfigs, type Known, listServers } from './describe-config.ts';
import { keptFile, sendFile } from './kept-file.ts';
import { configState, configStates } from './state-tables.ts';
import { type ConfigRow, selectOwnConfig } from './tables.ts';

/** What a user's list of configs is made of. */
function listReads(userId: string, now: Date) {
  return [configStates({ userId }), planPeriods({ userId, now })] as const;
}

/** By call: what is read while its caller is found. */
export const readsAhead = { listConfigs: listReads } satisfies { readonly [K in keyof typeof configs]?: ReadAhead };

export function configRoutes(deps: ConfigDeps): Handlers<typeof configs, SignedInCaller, unknown> {
  return {
    async listConfigs({ caller }) {
      const user = await requireService(deps, caller.user);
      const [states, periods] = caller.ahead as RowsOfEach<ReturnType<typeof listReads>>;
      const known = { accounts: caller.accounts, plan: describePlanState(periods, deps.clock.now()) };
      return { success: true, data: { configs: await describeConfigs(deps.db, deps, user, states, known) } };
    },
    async createConfig({ caller, body }) {
      const user = await requireService(deps, caller.user);
      const { config, keys } = await createConfig(deps, user.id, body);
      return { success: true, data: await issue(deps, user, config, keys.privateKeyForFile) };
    },
    async getConfig({ caller, params }) {
      const user = await requireService(deps, caller.user);
      return { success: true, data: { config: await describeOne(deps, user, params.id) } };
    },
    async renameConfig({ caller, params, body }) {
      const user = await requireService(deps, caller.user);
      await renameConfig(deps, user.id, params.id, body.name);
      return { success: true, data: { config: await describeOne(deps, user, params.id) } };
    },
    async deleteConfig({ caller, params }) {
      await deleteConfig(deps, (await requireService(deps, caller.user)).id, params.id);
      return { success: true };
    },
    async resetConfig({ caller, params, body }) {
      const user = await requireService(deps, caller.user);
      const keys = await resetConfig(deps, user.id, params.id, body ?? {});
      return {
        success: true,
        data: await issue(deps, user, await own(deps, user, params.id), keys.privateKeyForFile),
      };
    },
    async downloadConfig({ caller, params, query, reply }) {
      const user = await requireService(deps, caller.user);
      return sendFile(reply, await keptFile(deps, await own(deps, user, params.id), query));
    },
    async configQr({ caller, params, reply }) {
      const user = await requireService(deps, caller.user);
      return sendFile(reply, await keptFile(deps, await own(deps, user, params.id), { asQr: true }));
    },
    async listServers({ caller }) {
      const user = await requireService(deps, caller.user);
      return { success: true, data: { servers: await listServers(deps.db, user, deps.clock.now()) } };
    },
  };
}

export function connectionRoutes(
  deps: ConfigDeps & { readonly watchedConfigs: WatchedConfigs },
): Handlers<typeof connection, SignedInCaller, unknown> {
  const state = async (user: User, known?: Known) => ({
    success: true as const,
    data: await readConnection(deps, user, known),
  });
  return {
    async connect({ caller, body }) {
      const user = await requireConnecting(deps, caller.user);
      const states = await readRows(deps.db, configState({ userId: user.id, id: body.configId }));
      const [config] = await describeConfigs(deps.db, deps, user, states, caller);
      if (!config) throw new Refusal('config_not_found');
      if (config.service === 'no_balance') throw new Refusal('insufficient_balance');
      if (!config.server.isOnline) throw new Refusal('server_offline');
      await setBlocked(deps, user.id, config.id, false);
      return await state(user);
    },
    async disconnect({ caller, body }) {
      const user = await requireService(deps, caller.user);
      const id = body?.configId ?? (await readConnection(deps, user, caller)).currentConfig?.id;
      if (id) await setBlocked(deps, user.id, id, true);
      return await state(user);
    },
    connectionStatus: async ({ caller }) => await state(await requireService(deps, caller.user), caller),
    async connectionMetrics({ caller }) {
      const data = await readMetrics(deps, await requireService(deps, caller.user), caller);
      if (data.configId) deps.watchedConfigs.note(data.configId);
      return { success: true, data };
    },
  };
}

/** The same check as for every use of configs, with a message for connecting. */
async function requireConnecting(deps: ConfigDeps, user: User): Promise<User> {
  requireActive(user);
  if (!(await hasService(deps.db, user, deps.clock.now()))) throw new Refusal('connect_needs_activation');
  return user;
}

async function own(deps: ConfigDeps, user: User, id: string): Promise<ConfigRow> {
  const config = await selectOwnConfig(deps.db, user.id, id);
  if (!config) throw new Refusal('not_found');
  return config;
}

export async function describeOne(deps: ConfigDeps, user: User, id: string, known?: Known) {
  const states = await readRows(deps.db, configState({ userId: user.id, id }));
  const [config] = await describeConfigs(deps.db, deps, user, states, known);
  if (!config) throw new Refusal('not_found');
  return config;
}

async function issue(deps: ConfigDeps, user: User, config: ConfigRow, privateKey: string) {
  const { file, filename } = await fileOf(deps, config, privateKey);
  return { config: await describeOne(deps, user, config.id), file, filename };
}
