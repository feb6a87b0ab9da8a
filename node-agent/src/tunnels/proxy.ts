import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { OpenvpnIdentity } from '../control/plan.ts';
import { describeError, type Log } from '../platform/log.ts';
import { createMutex } from '../platform/mutex.ts';
import { addressIn } from './openvpn-files.ts';
import type { ProxyEngine } from './proxy-engine.ts';
import type { Tunnel, TunnelActivity } from './tunnel.ts';
import { linkAddresses } from './v2ray-config.ts';

export interface ProxyOptions {
  readonly interfaceName: string;
  readonly log: Pick<Log, 'error'>;
  elapsedMs(): number;
}

type ProxySettings = NonNullable<NonNullable<NodeSettings['openvpn']>['proxy']>;

/** The engine answers with all of its users at once. */
const LIST_MS = 2_000;
/** Long after a device has ceased to be connected. */
const FORGOTTEN_MS = 15 * 60_000;

/**
 * The proxy: for the configs of OpenVPN, at their slots of another network, by a program of the operator's. It has no sessions: a device comes and goes with
 * each connection of its apps.
 */
export function createProxyTunnel(engine: ProxyEngine, { interfaceName, log, elapsedMs }: ProxyOptions): Tunnel {
  let network: ProxySettings | undefined;
  const mutex = createMutex();
  const activity = createActivity(engine, elapsedMs);
  const settingsOf = ({ openvpn }: NodeSettings) => openvpn?.proxy;

  async function end(): Promise<void> {
    network = undefined;
    await engine.stop();
    engine.forget();
  }

  /** An engine of which it is not known whom it lets in ends; it is started again with those that it should. */
  async function change(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.error('proxy_users', { error: describeError(error) });
      await engine.stop();
    }
  }

  return {
    protocol: 'openvpn',
    name: 'proxy',
    interfaceName,
    hasSessions: false,
    endsHere: true,
    settingsOf,
    addressOf: (address4) => (network ? addressIn(network.address4, address4) : address4),
    leave: () => mutex.runExclusive(end),
    open: (settings) =>
      mutex.runExclusive(async () => {
        network = settingsOf(settings);
        if (!network) throw new Error('there are no settings for the proxy yet');
        const setup = { network: network.address4, path: network.path };
        const adopted = await engine.start(setup);
        if (!adopted) activity.beginAtZero();
        // The engine asks the node's resolver there.
        return { adopted, installed: new Set(engine.listNames()), nodeAddresses: [linkAddresses(setup).gateway] };
      }),

    apply: (install, forget) =>
      mutex.runExclusive(async () => {
        if (!network) return;
        const { address4: own } = network;
        const devices = install.filter((peer): peer is OpenvpnIdentity => peer.protocol === 'openvpn');
        const isLetIn = ({ blocked, proxyId }: OpenvpnIdentity) => !blocked && proxyId !== undefined;
        const refused = devices.filter((device) => !isLetIn(device)).map(({ commonName }) => commonName);
        const users = devices.filter(isLetIn).map(({ commonName, proxyId = '', address4 }) => {
          return { name: commonName, id: proxyId, address4: addressIn(own, address4) };
        });
        await change(async () => {
          await engine.remove([...forget, ...refused]);
          await engine.add(users);
        });
      }),

    listActivity: activity.list,
    isUp: async () => engine.isAlive(),
    onLost: () => {},
    close: async (teardown) => {
      if (teardown) await end();
    },
  };
}

interface Activity {
  /** The engine has just been started, so whatever it counts is new. */
  beginAtZero(): void;
  list(): Promise<TunnelActivity[]>;
}

/**
 * A device has been here when its count has changed since it was last read; it falls to zero where the engine or the credential is new. Counts of an
 * engine that ran before this agent tell nothing.
 */
function createActivity(engine: ProxyEngine, elapsedMs: () => number): Activity {
  let readAtMs = -LIST_MS;
  let bytes: ReadonlyMap<string, number> | undefined;
  const movedAtMs = new Map<string, number>();
  return {
    beginAtZero: () => {
      bytes = new Map();
    },
    list: async () => {
      const nowMs = elapsedMs();
      if (nowMs - readAtMs >= LIST_MS) {
        readAtMs = nowMs;
        const now = await engine.readBytes();
        for (const [name, count] of bytes ? now : [])
          if (count > 0 && count !== bytes?.get(name)) movedAtMs.set(name, nowMs);
        for (const [name, atMs] of movedAtMs) if (!now.has(name) || nowMs - atMs > FORGOTTEN_MS) movedAtMs.delete(name);
        bytes = now;
      }
      return [...movedAtMs].map(([credential, atMs]) => ({
        credential,
        handshakeAgeSeconds: Math.round((nowMs - atMs) / 1000),
      }));
    },
  };
}
