import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { type Agent, startAgent } from './agent.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { createBackOff } from './back-off.ts';
import { Firewall } from './firewall.ts';
import { findMarkOrder } from './firewall-marks.ts';
import { createHealth } from './health.ts';
import { type Identity, loadIdentity } from './identity.ts';
import { createLog, describeError, type Log } from './log.ts';
import { openNftSession } from './nft-session.ts';
import { createRoundTrips } from './round-trips.ts';
import type { Runtime } from './runtime.ts';
import { shell } from './shell.ts';
import { openSpool, type Spool } from './spool.ts';
import { startServing } from './start-serving.ts';
import { type BackendChoice, chooseBackend, createWireguardTunnel } from './tunnels/wireguard.ts';
import { startUsage } from './usage-state.ts';

const AGENT_VERSION = '2.0.1';
const USAGE = `usage: node-agent --control <url> --state <directory> [--token <enrolment token>]
  [--interface raha0] [--uplink <device>] [--backend auto|userspace|kernel]
  [--teardown-on-exit] [--allow-mass-removal]`;

const { values: options } = parseArgs({
  options: {
    control: { type: 'string' },
    state: { type: 'string' },
    token: { type: 'string' },
    interface: { type: 'string', default: 'raha0' },
    uplink: { type: 'string' },
    backend: { type: 'string', default: 'auto' },
    'teardown-on-exit': { type: 'boolean', default: false },
    'allow-mass-removal': { type: 'boolean', default: false },
  },
});

const now = () => Date.now();
const elapsedMs = () => performance.now();
const log = createLog(now);

/** Names that reach nft and ip as words of their languages. */
const DEVICE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,14}$/;

async function main(): Promise<Agent> {
  const { control, state, backend } = options;
  if (!control || !state || !isBackend(backend) || !DEVICE_NAME.test(options.interface)) {
    process.stderr.write(`${USAGE}\n`);
    process.exit(2);
  }
  const identity = await loadIdentity(state);
  const spool = openSpool(state);
  const client = createApiClient(control, identity, now);
  const settings = await enrol(client, identity, spool, options.token);
  const runtime = await createRuntime({ identity, spool, client, settings, backend });
  const onBroken = (error: unknown) => {
    log.error('loop_ended', { error: describeError(error) });
    process.exit(1);
  };
  const agent = startAgent(runtime, { interfaceName: options.interface, random: Math.random, onBroken });
  log.info('started', { interface: options.interface, configs: runtime.peers.size });
  return agent;
}

/** Exchanges the token once; a control plane that is away is waited for. Gives the settings to begin with. */
async function enrol(
  client: ApiClient,
  identity: Identity,
  spool: Spool,
  token: string | undefined,
): Promise<NodeSettings> {
  const registration = identity.registration();
  if (registration && (!token || identity.hasUsed(token))) return spool.readWanted()?.settings ?? registration.settings;
  if (!token) throw new Error('this node is not enrolled: --token is needed');
  const backOff = createBackOff(Math.random);
  for (;;) {
    try {
      const { nodeId, generation, settings } = await client.enrol({ token, agentVersion: AGENT_VERSION });
      // What another registration counted is not this one's to report.
      if (registration && registration.nodeId !== nodeId) spool.forget();
      await identity.register(token, { nodeId, generation, settings });
      log.info('enrolled', { node: nodeId, generation });
      return settings;
    } catch (error) {
      const delayMs = backOff.nextDelayMs();
      log.warn('control_plane', { what: 'enrol', error: describeError(error), retryMs: Math.round(delayMs) });
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

async function createRuntime(parts: {
  identity: Identity;
  spool: Spool;
  client: ApiClient;
  settings: NodeSettings;
  backend: BackendChoice;
}): Promise<Runtime> {
  const { identity, spool, client, settings } = parts;
  const interfaceName = options.interface;
  const uplink = options.uplink ?? (await findUplink());
  const [gateway4, gateway6] = [settings.wireguard.address4, settings.wireguard.address6].map(
    (address) => address.split('/')[0] as string,
  ) as [string, string];
  const table = `raha_${interfaceName.replaceAll(/[.-]/g, '_')}`;
  const place = { table, interfaceName, uplink, gateway4, gateway6, markOf: await findMarkOrder(shell) };
  const backend = await chooseBackend(shell, interfaceName, parts.backend);
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stored = spool.readUsage();
  const mintId = () => randomBytes(16).toString('hex');
  const runtime: Runtime = {
    firewall: new Firewall(shell, openNftSession(shell), place),
    tunnel: createWireguardTunnel(shell, backend, { interfaceName, privateKey: identity.wireguardPrivateKey, now }),
    spool,
    client,
    health: createHealth(uplink, elapsedMs),
    roundTrips: createRoundTrips(shell, interfaceName, elapsedMs),
    log,
    bootId,
    allowMassRemoval: options['allow-mass-removal'],
    agentVersion: AGENT_VERSION,
    mintId,
    elapsedMs,
    settings,
    // The whole state is asked for first: full state for truth, deltas for speed.
    generation: 0,
    peers: new Map(spool.readWanted()?.peers.map((peer) => [peer.id, peer])),
    slots: new Map(),
    highestSlot: 0,
    strangers: new Set(),
    usage: stored ?? startUsage(mintId(), bootId),
    leaving: new Set(),
    live: new Set(),
    tableEpoch: null,
    tunnelsUp: false,
    lastReadingMs: elapsedMs(),
    alarmBytes: Number.POSITIVE_INFINITY,
  };
  await startServing(runtime, uplink, stored);
  return runtime;
}

async function findUplink(): Promise<string> {
  const device = /\bdev (\S+)/.exec(await shell.run('ip', ['route', 'show', 'default']))?.[1];
  if (!device) throw new Error('there is no default route: --uplink is needed');
  return device;
}

function isBackend(text: string): text is BackendChoice {
  return text === 'auto' || text === 'userspace' || text === 'kernel';
}

function stopOnSignals(agent: Agent, logger: Log): void {
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    logger.info('stopping', { signal });
    agent
      .stop(options['teardown-on-exit'])
      .catch((error) => logger.error('stop', { error: describeError(error) }))
      .finally(() => process.exit());
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().then(
  (agent) => stopOnSignals(agent, log),
  (error) => {
    log.error('start', { error: describeError(error) });
    process.exit(1);
  },
);
