import type { configs, connection, ProfileSystem } from '@raha/contract/public/configs.ts';
import type { FastifyReply } from 'fastify';
import { renderSVG } from 'uqr';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hasService, type User } from '../accounts/users.ts';
import { APPLE_PROFILE } from '../client-files/ikev2-files.ts';
import { openPrivateKey } from '../client-files/keys.ts';
import { fileOf } from '../client-files/write-client-file.ts';
import { requireActive, requireService, type SignedInCaller } from '../sessions/caller.ts';
import { deleteConfig, renameConfig, resetConfig, setBlocked } from './change-config.ts';
import { readConnection, readMetrics } from './connection-state.ts';
import { type ConfigDeps, createConfig } from './create-config.ts';
import { describeConfigs, type Known, listServers } from './describe-config.ts';
import { listConfigs } from './list-configs.ts';
import { selectConfigStates } from './state-tables.ts';
import { type ConfigRow, selectOwnConfig } from './tables.ts';

export function configRoutes(deps: ConfigDeps): Handlers<typeof configs, SignedInCaller, unknown> {
  return {
    async listConfigs({ caller }) {
      const user = await requireService(deps, caller.user);
      return { success: true, data: { configs: await listConfigs(deps, user, caller) } };
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
      const { file, filename, type } = await keptFile(deps, user, params.id, query.system);
      const isSigned = type === APPLE_PROFILE && deps.signProfile !== undefined;
      return sendFile(reply, type, filename, isSigned ? deps.signProfile(Buffer.from(file)) : file);
    },
    async configQr({ caller, params, reply }) {
      const user = await requireService(deps, caller.user);
      const { protocol } = await own(deps, user, params.id);
      // A certificate does not fit into a QR code that a camera can read.
      if (protocol !== 'wireguard') throw new Refusal('not_found');
      const { file, filename } = await keptFile(deps, user, params.id);
      return sendFile(
        reply,
        'image/svg+xml',
        filename.replace('.conf', '.svg'),
        renderSVG(file, { ecc: 'L', border: 2 }),
      );
    },
    async listServers({ caller }) {
      await requireService(deps, caller.user);
      return { success: true, data: { servers: await listServers(deps.db, deps.clock.now()) } };
    },
  };
}

export function connectionRoutes(deps: ConfigDeps): Handlers<typeof connection, SignedInCaller, unknown> {
  const state = async (user: User, known?: Known) => ({
    success: true as const,
    data: await readConnection(deps, user, known),
  });
  return {
    async connect({ caller, body }) {
      const user = await requireConnecting(deps, caller.user);
      const states = await selectConfigStates(deps.db, user.id, body.configId);
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
    connectionMetrics: async ({ caller }) => ({
      success: true,
      data: await readMetrics(deps, await requireService(deps, caller.user), caller),
    }),
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

async function describeOne(deps: ConfigDeps, user: User, id: string, known?: Known) {
  const [config] = await describeConfigs(deps.db, deps, user, await selectConfigStates(deps.db, user.id, id), known);
  if (!config) throw new Refusal('not_found');
  return config;
}

async function issue(deps: ConfigDeps, user: User, config: ConfigRow, privateKey: string) {
  const { file, filename } = await fileOf(deps, config, privateKey);
  return { config: await describeOne(deps, user, config.id), file, filename };
}

async function keptFile(deps: ConfigDeps, user: User, id: string, system?: ProfileSystem) {
  const config = await own(deps, user, id);
  const privateKey = openPrivateKey(deps.vault, config);
  if (!privateKey) throw new Refusal('private_key_on_device');
  return await fileOf(deps, config, privateKey, system);
}

function sendFile(reply: FastifyReply, type: string, filename: string, content: string | Buffer): FastifyReply {
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${filename}"`)
    .header('cache-control', 'no-store')
    .send(content);
}
