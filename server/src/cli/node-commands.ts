import { BYTES_PER_GB } from '@raha/contract/money.ts';
import { agentOf, offeredAgent, requireRelease, requireSafeAddress } from '../app/agent-release.ts';
import { installCommand } from '../app/installer.ts';
import { withQueues } from '../app/open-queues.ts';
import { describeNodes, type NodeState } from '../modules/configs/describe-nodes.ts';
import { activateNode } from '../modules/fleet/activate-node.ts';
import { clearAnomalies } from '../modules/fleet/clear-anomalies.ts';
import { drainNode } from '../modules/fleet/drain-node.ts';
import { getNodeByName } from '../modules/fleet/get-node.ts';
import { issueEnrolmentToken } from '../modules/fleet/issue-enrolment-token.ts';
import type { Node } from '../modules/fleet/nodes.ts';
import { registerNode } from '../modules/fleet/register-node.ts';
import type { Release } from '../modules/fleet/release.ts';
import { retireNode } from '../modules/fleet/retire-node.ts';
import { revokeNode } from '../modules/fleet/revoke-node.ts';
import { setNodeTerms } from '../modules/fleet/set-node-terms.ts';
import { setOpenconnect } from '../modules/fleet/set-openconnect.ts';
import { setProxy } from '../modules/fleet/set-proxy.ts';
import { setTcpWebsite } from '../modules/fleet/set-tcp-website.ts';
import { upgradeNodes } from '../modules/fleet/upgrade-nodes.ts';
import type { Config } from '../platform/config.ts';
import {
  actor,
  type Commands,
  type Context,
  positiveNumber,
  type Result,
  stringify,
  text,
  wholeNumber,
} from './context.ts';

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
  'nodes tcp': { usage: '--name de1 --website www.example.org | none', flags: ['name', 'website'], run: tcpCommand },
  'nodes openconnect': {
    usage: '--name de1 --port 4443 [--tcp-only] | --name de1 --port none',
    flags: ['name', 'port'],
    switches: ['tcp-only'],
    run: openconnectCommand,
  },
  'nodes proxy': {
    usage: '--name de1 --url https://www.example.org/news/live | none',
    flags: ['name', 'url'],
    run: proxyCommand,
  },
  'nodes drain': { usage: '--name de1', flags: ['name'], run: drainCommand },
  'nodes activate': { usage: '--name de1', flags: ['name'], run: activateCommand },
  'nodes retire': { usage: '--name de1 [--to nl1] [--days 7]', flags: ['name', 'to', 'days'], run: retireCommand },
  'nodes upgrade': { usage: '--name de1 | --all', flags: ['name'], switches: ['all'], run: upgradeCommand },
  'nodes revoke': { usage: '--name de1 [--to nl1]', flags: ['name', 'to'], run: revokeCommand },
  'nodes cleared': { usage: '--name de1', flags: ['name'], run: clearNodeCommand },
};

async function addNodeCommand(context: Context): Promise<Result> {
  const { flags, config } = context;
  const release = requireInstallable(config);
  const name = text(flags, 'name');
  const number = (flag: string, max: number) =>
    flags[flag] === undefined ? undefined : wholeNumber(flags, flag, 1, max);
  const added = await registerNode(context, {
    actor,
    name,
    country: text(flags, 'country'),
    city: text(flags, 'city'),
    address: flags.address === undefined ? undefined : text(flags, 'address'),
    port: number('port', 65_535),
    openvpnPort: number('openvpn-port', 65_535),
    addressLimit: number('address-limit', 65_000),
  });
  return tokenResult(added, name, config, release);
}

async function clearNodeCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  await clearAnomalies(context, { actor, nodeId: id });
  return { data: { id, name }, lines: [`Nothing is held against "${name}" any more.`] };
}

async function renewTokenCommand(context: Context): Promise<Result> {
  const release = requireInstallable(context.config);
  const { id, name } = await named(context, 'name');
  return tokenResult(await issueEnrolmentToken(context, { actor, nodeId: id }), name, context.config, release);
}

/** Before a token is made: without a release that a machine believes, it would be useless. */
function requireInstallable(config: Config): Release {
  requireSafeAddress(config.publicUrl);
  return requireRelease(config);
}

function tokenResult(added: { nodeId: string; token: string }, name: string, config: Config, release: Release): Result {
  const command = installCommand(config.publicUrl, release, added.token);
  return {
    data: { ...added, command },
    lines: [
      `Node "${name}" is expected. The enrolment token in this command is good once, for 15 minutes.`,
      'Run it on the server machine, as root:',
      '',
      command,
    ],
  };
}

async function listNodesCommand({ db, clock, config }: Context): Promise<Result> {
  const nodes = await describeNodes(db, clock.now(), offeredAgent(config));
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
        ...[state.node.monthly_cap_gb ?? '', state.warnings.join('; ')],
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
    state.online ? `online (${state.protocols.map((protocol) => protocolOf(protocol, node)).join(', ')})` : 'offline',
    `${state.configs} configs`,
    `load ${Math.round((node.load ?? 0) * 100)} %`,
    state.pingMs === null ? 'no ping' : `${state.pingMs} ms`,
    `score ${state.score}`,
    `${node.applied_generation ?? 0n}/${node.generation}`,
    state.warnings.join('; '),
  ];
}

/** WireGuard as a program carries less than in the kernel: the operator may want to know which machine that is. */
function protocolOf(protocol: string, node: NodeState['node']): string {
  if (protocol === 'openvpn') {
    const more = `${node.openconnect ? ' and OpenConnect' : ''}${node.proxy === 'served' ? ' and the proxy' : ''}`;
    return `openvpn${node.openvpn_tcp ? ' over UDP and TCP' : ''}${more}`;
  }
  if (protocol !== 'wireguard' || node.wireguard_backend === null) return protocol;
  return `${protocol} ${node.wireguard_backend === 'kernel' ? 'in the kernel' : 'as a program'}`;
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
    wireguardBackend: node.wireguard_backend,
    wireguardPorts: node.wireguard_ports ?? [],
    openvpnTcp: { website: node.openvpn_tcp_website, isServed: node.openvpn_tcp ?? false },
    openconnect: { port: node.openconnect_port, udp: node.openconnect_udp, isServed: node.openconnect ?? false },
    proxy: { url: node.proxy_url, state: node.proxy, isServed: node.proxy === 'served' },
    suspicions: state.anomalies,
    warnings: state.warnings,
  };
}

async function showNodeCommand(context: Context): Promise<Result> {
  const { id } = await named(context, 'name');
  const nodes = await describeNodes(context.db, context.clock.now(), offeredAgent(context.config));
  const state = nodes.find(({ node }) => node.id === id);
  if (!state) throw new Error(`node ${id} is gone`);
  const data = toData(state);
  const lines = Object.entries(data).map(
    ([name, value]) => `${name}\t${value !== null && typeof value === 'object' ? stringify(value) : (value ?? '-')}`,
  );
  return { data, lines };
}

async function named({ db, flags }: Context, flag: string): Promise<Node> {
  return await getNodeByName(db, text(flags, flag));
}

async function tcpCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  const given = text(context.flags, 'website');
  const order = { actor, nodeId: id, website: given === 'none' ? null : given };
  const website = await withQueues(context, ({ bus }) => setTcpWebsite({ ...context, bus }, order));
  const line =
    website === null
      ? `"${name}" serves OpenVPN over UDP only. Devices with older files notice when they try TCP.`
      : `"${name}" serves OpenVPN over TCP 443 as well, and shows ${website} to strangers. New files switch by themselves; nodes list shows when it does.`;
  return { data: { id, website }, lines: [line] };
}

async function openconnectCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  const port = text(context.flags, 'port') === 'none' ? null : wholeNumber(context.flags, 'port', 1, 65_535);
  const udp = context.flags['tcp-only'] === undefined;
  await withQueues(context, ({ bus }) => setOpenconnect({ ...context, bus }, { actor, nodeId: id, port, udp }));
  const line =
    port === null
      ? `"${name}" no longer serves OpenConnect. Its OpenVPN configs go on.`
      : `"${name}" serves OpenConnect at TCP${udp ? ' and UDP' : ''} port ${port} for its OpenVPN configs; open it in the provider's firewall. A stranger sees there that it is a VPN. nodes list shows when it does.`;
  return { data: { id, port, udp }, lines: [line] };
}

async function proxyCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  const given = text(context.flags, 'url');
  const order = { actor, nodeId: id, url: given === 'none' ? null : given };
  const url = await withQueues(context, ({ bus }) => setProxy({ ...context, bus }, order));
  const line =
    url === null
      ? `"${name}" no longer serves the proxy. Its OpenVPN configs go on.`
      : `"${name}" serves the proxy at ${url} for its OpenVPN configs, once you have installed its program and your web server hands connections on (docs/operations.md); nodes list shows when it does.`;
  return { data: { id, url }, lines: [line] };
}

async function drainCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  await drainNode(context, { actor, nodeId: id });
  return changed(id, 'draining', `Nothing new comes to "${name}". What is there goes on; nodes activate ends it.`);
}

async function activateCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  await activateNode(context, { actor, nodeId: id });
  const line = `"${name}" takes configs again. What has been moved stays moved, and its old file ends on the day that was told.`;
  return changed(id, 'active', line);
}

async function retireCommand(context: Context): Promise<Result> {
  const { flags } = context;
  const { id, name } = await named(context, 'name');
  const movesTo = await targetOf(context);
  const days = flags.days === undefined ? undefined : wholeNumber(flags, 'days', 0, 90);
  const at = await retireNode(context, { actor, nodeId: id, movesTo, days });
  const line = `"${name}" is being left. Its people get new files; the old ones end ${at.toISOString()}.`;
  return changed(id, 'retired', line);
}

async function revokeCommand(context: Context): Promise<Result> {
  const { id, name } = await named(context, 'name');
  await revokeNode(context, { actor, nodeId: id, movesTo: await targetOf(context) });
  const line = `"${name}" is out for good: nothing it says is heard. Its people get new files, and its leases come back.`;
  return changed(id, 'revoked', line);
}

async function targetOf(context: Context): Promise<string | null> {
  return context.flags.to === undefined ? null : (await named(context, 'to')).id;
}

function changed(id: string, status: string, line: string): Result {
  return { data: { id, status }, lines: [line] };
}

async function upgradeCommand(context: Context): Promise<Result> {
  const chosen = context.flags.all ? 'all' : { nodeId: (await named(context, 'name')).id };
  const { sha256, nodes } = await upgradeNodes(context, {
    actor,
    nodes: chosen,
    sha256: agentOf(requireRelease(context.config)),
  });
  const lines = nodes.map(
    ({ name }) => `"${name}" replaces its agent by ${sha256.slice(0, 8)}; nodes list shows when it has.`,
  );
  return {
    data: { sha256, nodes: nodes.map(({ id }) => id) },
    lines: lines.length > 0 ? lines : ['No node has enrolled yet.'],
  };
}

async function setCommand(context: Context): Promise<Result> {
  const { flags } = context;
  const { id, name } = await named(context, 'name');
  const term = <T>(flag: string, read: () => T): T | null | undefined => {
    if (flags[flag] === undefined) return undefined;
    return flags[flag] === 'none' ? null : read();
  };
  const terms = await setNodeTerms(context, {
    actor,
    nodeId: id,
    monthlyCapGb: term('cap-gb', () => wholeNumber(flags, 'cap-gb', 1, 1_000_000_000)),
    costUsdMicrosPerGb: term('cost-usd-per-gb', () =>
      BigInt(Math.round(positiveNumber(flags, 'cost-usd-per-gb', 1_000) * 1_000_000)),
    ),
  });
  const cap = terms.monthlyCapGb === null ? 'no cap' : `${terms.monthlyCapGb} GB a month`;
  const cost =
    terms.costUsdMicrosPerGb === null ? 'no cost' : `${Number(terms.costUsdMicrosPerGb) / 1e6} US dollars per GB`;
  return { data: { id, ...terms }, lines: [`"${name}": ${cap}, ${cost}.`] };
}
