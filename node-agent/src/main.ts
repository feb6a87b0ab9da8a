import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { isSafeControlAddress } from '@raha/contract/node/release.ts';
import { version } from '@raha/contract/version.ts';
import { type Agent, startAgent } from './agent.ts';
import type { AgentContext } from './agent-context.ts';
import { type ApiClient, createApiClient, Refused } from './control/api-client.ts';
import { createAppliedState } from './control/applied-state.ts';
import { createControlState, delayAfter } from './control/control-state.ts';
import { createEnrolmentToken, type EnrolmentToken } from './control/enrolment-token.ts';
import { type Identity, loadIdentity } from './control/identity.ts';
import { createUpgrader } from './control/upgrader.ts';
import { createResolver, hasResolver, isForwarder, type Resolver } from './dns/resolver.ts';
import { Firewall } from './firewall/firewall.ts';
import { openNftSession } from './firewall/nft-session.ts';
import { findMarkOrder } from './firewall/packet-marks.ts';
import type { NodeServices } from './firewall/service-chains.ts';
import { createMeteringState } from './metering/metering-state.ts';
import { createReach } from './metering/reach.ts';
import { openSpool, type Spool } from './metering/spool.ts';
import { startUsage } from './metering/usage-state.ts';
import { createBackOff } from './platform/back-off.ts';
import { createHealth } from './platform/health.ts';
import { links } from './platform/link.ts';
import { createLog, describeError, type Log } from './platform/log.ts';
import { shell } from './platform/shell.ts';
import { findUplinks } from './platform/uplinks.ts';
import { createCaptivePortal } from './portal/captive-portal.ts';
import { createWalledGarden } from './portal/walled-garden.ts';
import { createRelayProbe } from './relays/relay-probe.ts';
import { startServing } from './start-serving.ts';
import { createTracer } from './tracing/answer-trace.ts';
import { createIkev2Tunnel } from './tunnels/ikev2.ts';
import type { IpsecMode } from './tunnels/ikev2-files.ts';
import { findIpsec, ikev2Interface } from './tunnels/ikev2-interface.ts';
import { createOpenconnectTunnel, hasOpenconnect } from './tunnels/openconnect.ts';
import { createOpenvpnTunnel, hasOpenvpn } from './tunnels/openvpn.ts';
import { createProxyTunnel } from './tunnels/proxy.ts';
import type { ProxyEngine } from './tunnels/proxy-engine.ts';
import { createRoundTrips } from './tunnels/round-trips.ts';
import { SpeedQueues } from './tunnels/speed-queues.ts';
import type { Tunnel } from './tunnels/tunnel.ts';
import { createTunnelState } from './tunnels/tunnel-state.ts';
import { endV2ray, V2rayEngine } from './tunnels/v2ray-engine.ts';
import { findV2ray } from './tunnels/v2ray-program.ts';
import { type BackendChoice, chooseBackend, createWireguardTunnel } from './tunnels/wireguard.ts';

const USAGE = `usage: node-agent --control <https address> --state <directory>
  [--token-file <state directory>/enrolment-token] [--release-key /etc/raha/release.pub]
  [--interface raha0] [--uplink <device>] [--backend auto|userspace|kernel]
  [--block-list /etc/raha/blocked-names] [--dns-forward <address>[,<address>]] [--allow-smtp]
  [--proxy-engine /usr/bin/v2ray]  a program of yours behind the proxy, V2Ray of version 4 or 5; only root may be able to change it
  [--teardown-on-exit] [--allow-mass-removal]
  [--insecure-control]  accepts http to another machine: anybody on the way reads and changes everything. For tests only`;

const { values: options } = parseArgs({
  options: {
    control: { type: 'string' },
    state: { type: 'string' },
    'token-file': { type: 'string' },
    'release-key': { type: 'string', default: '/etc/raha/release.pub' },
    'insecure-control': { type: 'boolean', default: false },
    // In the units of installers of before; such a machine is enrolled, and the token is not read.
    token: { type: 'string' },
    interface: { type: 'string', default: 'raha0' },
    uplink: { type: 'string' },
    backend: { type: 'string', default: 'auto' },
    'block-list': { type: 'string', default: '/etc/raha/blocked-names' },
    'dns-forward': { type: 'string', default: '' },
    'allow-smtp': { type: 'boolean', default: false },
    'proxy-engine': { type: 'string' },
    'teardown-on-exit': { type: 'boolean', default: false },
    'allow-mass-removal': { type: 'boolean', default: false },
    version: { type: 'boolean', default: false },
  },
});

const now = () => Date.now();
const elapsedMs = () => performance.now();
const log = createLog(now);

/** Interface names that nft and ip accept unquoted; two characters are left for the protocol's suffix. */
const DEVICE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,12}$/;

async function main(): Promise<void> {
  if (options.version) {
    process.stdout.write(`${version}\n`);
    process.exit(0);
  }
  const { control, state, backend } = options;
  const isUnderstood = isBackend(backend) && DEVICE_NAME.test(options.interface) && forwarders().every(isForwarder);
  if (!control || !state || !isUnderstood) {
    process.stderr.write(`${USAGE}\n`);
    process.exit(2);
  }
  requireSafeControl(control);
  const identity = await loadIdentity(state);
  const spool = openSpool(state, `/run/raha/${options.interface}.usage.json`);
  const client = createApiClient(control, identity, now);
  const settings = await enrol(client, identity, spool, createEnrolmentToken(state, options['token-file']));
  const context = await createContext({ identity, spool, client, settings, backend });
  const onBroken = (error: unknown) => {
    log.error('loop_ended', { error: describeError(error) });
    process.exit(1);
  };
  // The service starts the new agent; the tunnels go on serving meanwhile.
  const onReplaced = () => void agent.stop(false).finally(() => process.exit(0));
  const agent = startAgent(context, { onBroken, onReplaced });
  // Before it is said to have started: until then a signal ends it without its last reading.
  stopOnSignals(agent, log);
  log.info('started', { interface: options.interface, configs: context.applied.peers.size });
}

/** With http to another machine, anybody on the way could take the node over. */
function requireSafeControl(control: string): void {
  if (URL.canParse(control) && isSafeControlAddress(new URL(control))) return;
  if (!options['insecure-control']) {
    process.stderr.write(`--control is ${control}: only an https address is safe, or http on this machine itself.\n`);
    process.exit(2);
  }
  log.warn('insecure_control', { control, meaning: 'anybody on the way can read and change everything' });
}

/** Exchanges the token once, retrying until the control plane answers. Returns the settings to start with. */
async function enrol(
  client: ApiClient,
  identity: Identity,
  spool: Spool,
  tokenFile: EnrolmentToken,
): Promise<NodeSettings> {
  const backOff = createBackOff(Math.random);
  for (;;) {
    const registration = identity.registration();
    // Read again each time: the operator may have replaced an expired one.
    const token = tokenFile.read();
    if (registration && (!token || identity.hasUsed(token))) {
      if (token) await tokenFile.forget();
      return spool.readDesired()?.settings ?? registration.settings;
    }
    if (!token) throw new Error('this node is not enrolled, and has no enrolment token');
    try {
      const { nodeId, generation, settings } = await client.enrol({ token, agentVersion: version });
      // Usage that was counted under another registration must not be reported under this one.
      if (registration && registration.nodeId !== nodeId) spool.forget();
      await identity.register(token, { nodeId, generation, settings });
      await tokenFile.forget();
      log.info('enrolled', { node: nodeId, generation });
      return settings;
    } catch (error) {
      await sleep(delayAfter(error, 'enrol', backOff, log));
    }
  }
}

async function createContext(parts: {
  identity: Identity;
  spool: Spool;
  client: ApiClient;
  settings: NodeSettings;
  backend: BackendChoice;
}): Promise<AgentContext> {
  const { identity, spool, client, settings } = parts;
  const interfaceName = options.interface;
  const uplinks = options.uplink ? [options.uplink] : await findUplinks(shell);
  const ipsec = await findIpsec(shell);
  const services = {
    address4: settings.wireguard.address4.split('/')[0] as string,
    address6: settings.wireguard.address6.split('/')[0] as string,
    hasResolver: await hasResolver(shell),
  };
  const ikev2Device = ikev2Interface({ name: ikev2Name(), mode: ipsec ?? 'userspace' });
  const table = `raha_${interfaceName.replaceAll(/[.-]/g, '_')}`;
  const firewall = new Firewall(shell, openNftSession(shell), {
    table,
    // Of all protocols, because one may be installed later.
    interfaceNames: [interfaceName, openvpnInterface(), openvpnTcpInterface(), proxyInterface(), ikev2Device],
    deviceInterfaces: openconnectInterfaces(),
    proxyInterface: proxyInterface(),
    uplinks,
    markOf: await findMarkOrder(shell),
    services,
    newFlows: { allowsSmtp: options['allow-smtp'] },
  });
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stored = spool.readUsage();
  const applied = createAppliedState(settings, spool.readDesired());
  const upgrader = createUpgrader(
    {
      shell,
      log,
      keyFile: options['release-key'],
      download: client.downloadRelease,
      isAbsent: (error) => error instanceof Refused,
    },
    process.argv[1],
  );
  const tunnels = await createTunnels(identity, parts.backend, ipsec);
  const mintId = () => randomBytes(16).toString('hex');
  const context: AgentContext = {
    firewall,
    tunnels,
    speedQueues: new SpeedQueues({ shell, links, tunnels, uplinks, log, elapsedMs }),
    spool,
    client,
    health: createHealth(uplinks, options.state as string, elapsedMs),
    ...(services.hasResolver ? { resolver: createNodeResolver(services) } : {}),
    captivePortal: createCaptivePortal(services, () => applied.settings.captivePortal?.topUpUrl),
    walledGarden: createWalledGarden(services, elapsedMs),
    roundTrips: createRoundTrips(shell, elapsedMs),
    reach: createReach({ shell, table: `${table}_reach`, uplinks, getNetworks: client.getNetworks }),
    relayProbe: createRelayProbe({ mintId, elapsedMs }),
    tracer: createTracer({ shell, applied, client, log }),
    upgrader,
    log,
    bootId,
    allowMassRemoval: options['allow-mass-removal'],
    agentVersion: upgrader.current ? `${version}+${upgrader.current.slice(0, 8)}` : version,
    mintId,
    random: Math.random,
    elapsedMs,
    applied,
    metering: createMeteringState(stored ?? startUsage(mintId(), bootId), elapsedMs()),
    tunnelState: createTunnelState(),
    control: createControlState(),
  };
  await startServing(context, uplinks, stored);
  return context;
}

/** The protocols that this machine can serve; WireGuard comes first and is required. */
async function createTunnels(
  identity: Identity,
  choice: BackendChoice,
  ipsec: IpsecMode | undefined,
): Promise<Tunnel[]> {
  const interfaceName = options.interface;
  const backend = await chooseBackend(shell, interfaceName, choice);
  const wireguard = { interfaceName, privateKey: identity.wireguardPrivateKey, now };
  const tunnels = [createWireguardTunnel(shell, backend, wireguard)];
  if (await hasOpenvpn(shell)) {
    const own = { ...identity.tls, elapsedMs };
    tunnels.push(createOpenvpnTunnel(shell, { interfaceName: openvpnInterface(), transport: 'udp', ...own }));
    tunnels.push(createOpenvpnTunnel(shell, { interfaceName: openvpnTcpInterface(), transport: 'tcp', ...own }));
  }
  if (await hasOpenconnect(shell)) {
    const own = { interfaceName: openconnectInterfaces(), scriptDirectory: options.state as string, elapsedMs };
    tunnels.push(createOpenconnectTunnel(shell, { ...own, privateKey: identity.tls.privateKey }));
  }
  if (ipsec) {
    tunnels.push(createIkev2Tunnel(shell, { name: ikev2Name(), mode: ipsec, ...identity.ikev2, elapsedMs }));
  }
  // Last, because its users are let in one by one after a boot.
  const engine = await createProxyEngine();
  if (engine) tunnels.push(createProxyTunnel(engine, { interfaceName: proxyInterface(), log, elapsedMs }));
  return tunnels;
}

/** Of the program that the operator has named, if it is one that can be used; the node's reports say that it has none otherwise. */
async function createProxyEngine(): Promise<ProxyEngine | undefined> {
  const path = options['proxy-engine'];
  const own = { interfaceName: proxyInterface(), elapsedMs };
  const program = path === undefined ? undefined : await findV2ray(shell, path).catch(describeError);
  if (typeof program === 'object') return new V2rayEngine(shell, { ...own, program });
  if (program !== undefined) log.error('proxy_engine', { error: program });
  await endV2ray(shell, own);
  return undefined;
}

function ikev2Name(): string {
  return `${options.interface}ik`;
}

function createNodeResolver(services: NodeServices): Resolver {
  return createResolver(shell, {
    interfaceName: options.interface,
    services,
    forwarders: forwarders(),
    blockListPath: options['block-list'],
  });
}

function forwarders(): string[] {
  return options['dns-forward'].split(',').filter(Boolean);
}

function openvpnInterface(): string {
  return `${options.interface}ov`;
}

function openvpnTcpInterface(): string {
  return `${options.interface}ot`;
}

function openconnectInterfaces(): string {
  return `${options.interface}oc`;
}

function proxyInterface(): string {
  return `${options.interface}px`;
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

main().catch((error) => {
  log.error('start', { error: describeError(error) });
  process.exit(1);
});
