import { BYTES_PER_GB } from '@raha/contract/money.ts';
import { installCommand, servedAgent } from '../app/installer.ts';
import { describeNodes, type NodeState } from '../modules/configs/describe-nodes.ts';
import { addNode, renewEnrolment } from '../modules/fleet/add-node.ts';
import { forgetAnomalies } from '../modules/fleet/anomalies.ts';
import { readHost } from '../modules/fleet/host.ts';
import { listNodes, type Node } from '../modules/fleet/nodes.ts';
import {
  activateNode,
  drainNode,
  findNodeByName,
  retireNode,
  revokeNode,
  setTerms,
  upgradeNode,
} from '../modules/fleet/operate-node.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import {
  type Commands,
  type Context,
  positiveNumber,
  type Result,
  stringify,
  text,
  UsageError,
  wholeNumber,
} from './context.ts';

/** Old and new files both work for so long, unless said otherwise. */
const DAYS_BESIDE = 7;

export const nodeCommands: Commands = {
  'nodes add': {
    usage:
      '--name de1 --country DE --city Frankfurt [--address host] [--port 51820] [--openvpn-port 1194] [--address-limit 65000]',
    flags: ['name', 'country', 'city', 'address', 'port', 'openvpn-port', 'address-limit'],
    run: addNodeCommand,
  },
  'nodes token': { usage: '--name de1', flags: ['name'], run: renewTokenCommand },
  'nodes list': { usage: '', run: listNodesCommand },
  'nodes show': { usage: '--name de1', flags: ['name'], run: showNodeCommand },
  'nodes set': {
    usage: '--name de1 [--cap-gb 20000|none] [--cost-usd-per-gb 0.004|none]',
    flags: ['name', 'cap-gb', 'cost-usd-per-gb'],
    run: setCommand,
  },
  'nodes drain': { usage: '--name de1', flags: ['name'], run: drainCommand },
  'nodes activate': { usage: '--name de1', flags: ['name'], run: activateCommand },
  'nodes retire': { usage: '--name de1 [--to nl1] [--days 7]', flags: ['name', 'to', 'days'], run: retireCommand },
  'nodes upgrade': { usage: '--name de1 | --all', flags: ['name'], switches: ['all'], run: upgradeCommand },
  'nodes revoke': { usage: '--name de1 [--to nl1]', flags: ['name', 'to'], run: revokeCommand },
  'nodes cleared': { usage: '--name de1', flags: ['name'], run: clearNodeCommand },
};

async function addNodeCommand({ db, flags, config }: Context): Promise<Result> {
  const name = text(flags, 'name');
  const country = text(flags, 'country').toUpperCase();
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name))
    throw new UsageError('--name takes lower-case letters, digits and hyphens, at most 31.');
  if (!/^[A-Z]{2}$/.test(country)) throw new UsageError('--country takes two letters (ISO 3166), such as DE.');
  if ((await listNodes(db)).some((node) => node.name === name))
    throw new UsageError(`There is a node "${name}" already.`);
  const added = await addNode(
    { db, clock: systemClock },
    {
      name,
      country,
      city: text(flags, 'city'),
      address: flags.address === undefined ? undefined : hostOf(text(flags, 'address')),
      port: flags.port === undefined ? undefined : wholeNumber(flags, 'port', 1, 65_535),
      openvpnPort: flags['openvpn-port'] === undefined ? undefined : wholeNumber(flags, 'openvpn-port', 1, 65_535),
      addressLimit: flags['address-limit'] === undefined ? undefined : wholeNumber(flags, 'address-limit', 1, 65_000),
    },
  );
  return tokenResult(added, name, config);
}

/** It goes into every device's file and into the node's certificate. */
function hostOf(address: string): string {
  const host = readHost(address);
  if (!host) throw new UsageError('--address takes an IPv4 or IPv6 address, or a host name, without a port.');
  return host;
}

async function clearNodeCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  await forgetAnomalies(context.db, id);
  return { data: { id, name }, lines: [`Nothing is held against "${name}" any more.`] };
}

async function renewTokenCommand(context: Context): Promise<Result> {
  const { name } = await living(context);
  const renewed = await renewEnrolment({ db: context.db, clock: systemClock }, name);
  if (!renewed) throw new UsageError(`There is no node "${name}".`);
  return tokenResult(renewed, name, context.config);
}

function tokenResult(added: { nodeId: string; token: string }, name: string, config: Config): Result {
  const command = installCommand(config.publicUrl, added.token);
  return {
    data: { ...added, command },
    lines: [
      `Node "${name}" is expected. Its enrolment token is good once, for 15 minutes:`,
      added.token,
      '',
      'Run this on the server machine:',
      command,
    ],
  };
}

async function listNodesCommand({ db }: Context): Promise<Result> {
  const nodes = await describeNodes(db, systemClock.now());
  return {
    data: { nodes: nodes.map(toData) },
    lines:
      nodes.length > 0
        ? nodes.map((state) => lineOf(state).join('\t').trimEnd())
        : ['There are no nodes yet. Add one with: npm run raha -- nodes add'],
    table: {
      head: [
        ...['name', 'country', 'city', 'address', 'status', 'online', 'protocols', 'configs', 'leaving', 'connected'],
        ...['load', 'ping ms', 'score', 'month GB', 'cap GB', 'warnings'],
      ],
      rows: nodes.map((state) => [
        ...[state.node.name, state.node.country, state.node.city, state.node.address ?? '', state.node.status],
        ...[state.online ? 'yes' : 'no', state.protocols.join(' '), state.configs, state.leaving, state.connected],
        ...[state.node.load ?? '', state.pingMs ?? '', state.score, Number(state.monthBytes) / BYTES_PER_GB],
        ...[state.node.monthly_cap_gb ?? '', warningsOf(state).join('; ')],
      ]),
    },
  };
}

function lineOf(state: NodeState): string[] {
  const { node } = state;
  return [
    node.name,
    `${node.country} ${node.city}`,
    node.address ?? '-',
    node.status,
    state.online ? `online (${state.protocols.join(', ')})` : 'offline',
    `${state.configs} configs`,
    `load ${Math.round((node.load ?? 0) * 100)} %`,
    state.pingMs === null ? 'no ping' : `${state.pingMs} ms`,
    `score ${state.score}`,
    `${node.applied_generation ?? 0n}/${node.generation}`,
    warningsOf(state).join('; '),
  ];
}

/** An agent from before this server's is no fault, and worth knowing. */
function warningsOf({ node, warnings }: NodeState): readonly string[] {
  const own = node.agent_version?.split('+')[1];
  const served = servedAgent();
  const isOther = own !== undefined && served !== undefined && !served.startsWith(own);
  return isOther ? [...warnings, 'its agent is not the one of this server'] : warnings;
}

function toData(state: NodeState) {
  const { node } = state;
  return {
    id: node.id,
    name: node.name,
    country: node.country,
    city: node.city,
    address: node.address,
    status: node.status,
    retiresAt: node.retires_at?.toISOString() ?? null,
    online: state.online,
    protocols: state.protocols,
    load: node.load,
    pingMs: state.pingMs,
    recommendationScore: state.score,
    configs: state.configs,
    leaving: state.leaving,
    connected: state.connected,
    generation: Number(node.generation),
    applied: Number(node.applied_generation ?? 0n),
    seenAt: node.seen_at?.toISOString() ?? null,
    agentVersion: node.agent_version,
    clockOffsetMs: node.clock_offset_ms,
    disk: node.disk_total_bytes && {
      freeBytes: Number(node.disk_free_bytes),
      totalBytes: Number(node.disk_total_bytes),
    },
    certificateEndsAt: state.certificateEndsAt?.toISOString() ?? null,
    month: { gb: Number(state.monthBytes) / BYTES_PER_GB, capGb: node.monthly_cap_gb },
    costUsdPerGb: node.cost_usd_micros_per_gb === null ? null : Number(node.cost_usd_micros_per_gb) / 1e6,
    blockedNames: node.block_list_names ?? 0,
    suspicions: state.anomalies,
    warnings: warningsOf(state),
  };
}

async function showNodeCommand(context: Context): Promise<Result> {
  const { id } = await named(context, 'name');
  const state = (await describeNodes(context.db, systemClock.now())).find(({ node }) => node.id === id);
  if (!state) throw new Error(`node ${id} is gone`);
  const data = toData(state);
  const lines = Object.entries(data).map(
    ([name, value]) => `${name}\t${value !== null && typeof value === 'object' ? stringify(value) : (value ?? '-')}`,
  );
  return { data, lines };
}

async function named({ db, flags }: Context, flag: string): Promise<Node> {
  const name = text(flags, flag);
  const node = await findNodeByName(db, name);
  if (!node) throw new UsageError(`There is no node "${name}".`);
  return node;
}

async function drainCommand(context: Context): Promise<Result> {
  const { id, name, status } = await living(context);
  if (status === 'retired') throw new UsageError(`"${name}" is being retired; nodes activate ends that.`);
  await drainNode(context.db, id);
  return said(id, 'draining', `Nothing new comes to "${name}". What is there goes on; nodes activate ends it.`);
}

async function activateCommand(context: Context): Promise<Result> {
  const { id, name } = await living(context);
  await activateNode(context.db, id);
  const line = `"${name}" takes configs again. What has been moved stays moved, and its old file ends on the day that was told.`;
  return said(id, 'active', line);
}

async function retireCommand(context: Context): Promise<Result> {
  const { db, flags } = context;
  const { id, name } = await living(context);
  const movesTo = await targetOf(context, id);
  const days = flags.days === undefined ? DAYS_BESIDE : wholeNumber(flags, 'days', 0, 90);
  const at = await retireNode({ db, clock: systemClock }, id, { days, movesTo });
  return said(
    id,
    'retired',
    `"${name}" is being left. Its people get new files; the old ones end ${at.toISOString()}.`,
  );
}

async function revokeCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  await revokeNode({ db: context.db, clock: systemClock }, id, await targetOf(context, id));
  const line = `"${name}" is out for good: nothing it says is heard. Its people get new files, and its leases come back.`;
  return said(id, 'revoked', line);
}

async function upgradeCommand(context: Context): Promise<Result> {
  const sha256 = servedAgent();
  if (!sha256) throw new UsageError('There is no agent to upgrade to: start the server once, which builds it.');
  const nodes = context.flags.all
    ? (await listNodes(context.db)).filter(({ status, signing_key }) => status !== 'revoked' && signing_key !== null)
    : [await living(context)];
  for (const { id } of nodes) await upgradeNode(context.db, id, sha256);
  return {
    data: { sha256, nodes: nodes.map(({ id }) => id) },
    lines:
      nodes.length > 0
        ? nodes.map(
            ({ name }) => `"${name}" replaces its agent by ${sha256.slice(0, 8)}; nodes list shows when it has.`,
          )
        : ['No node has enrolled yet.'],
  };
}

/** A node that has not been revoked: that is for good. */
async function living(context: Context): Promise<Node> {
  const node = await named(context, 'name');
  if (node.status === 'revoked') throw new UsageError(`"${node.name}" is revoked, for good. Add a new node.`);
  return node;
}

async function targetOf(context: Context, from: string): Promise<string | null> {
  if (context.flags.to === undefined) return null;
  const target = await named(context, 'to');
  if (target.id === from || target.status !== 'active') throw new UsageError(`"${target.name}" takes no configs.`);
  return target.id;
}

function said(id: string, status: string, line: string): Result {
  return { data: { id, status }, lines: [line] };
}

async function setCommand(context: Context): Promise<Result> {
  const { db, flags } = context;
  const node = await named(context, 'name');
  const none = (flag: string) => flags[flag] === 'none';
  const terms = {
    monthlyCapGb:
      flags['cap-gb'] === undefined
        ? node.monthly_cap_gb
        : none('cap-gb')
          ? null
          : wholeNumber(flags, 'cap-gb', 1, 1_000_000_000),
    costUsdMicrosPerGb:
      flags['cost-usd-per-gb'] === undefined
        ? node.cost_usd_micros_per_gb
        : none('cost-usd-per-gb')
          ? null
          : BigInt(Math.round(positiveNumber(flags, 'cost-usd-per-gb', 1_000) * 1_000_000)),
  };
  await setTerms(db, node.id, terms);
  return {
    data: { id: node.id, ...terms },
    lines: [
      `"${node.name}": ${terms.monthlyCapGb === null ? 'no cap' : `${terms.monthlyCapGb} GB a month`}, ${
        terms.costUsdMicrosPerGb === null ? 'no cost' : `${Number(terms.costUsdMicrosPerGb) / 1e6} US dollars per GB`
      }.`,
    ],
  };
}
