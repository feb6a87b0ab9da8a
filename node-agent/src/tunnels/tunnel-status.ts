import { limits } from '@raha/contract/limits.ts';
import type { TunnelStatus } from '@raha/contract/node/protocol.ts';
import { credentialOf } from '../control/plan.ts';
import { describeError } from '../platform/log.ts';
import { within } from '../platform/with-timeout.ts';
import type { Runtime } from '../runtime.ts';
import type { Tunnel, TunnelLife } from './tunnel.ts';

/** A daemon that hangs must not hold a report up: of its devices nothing is news then. */
const LIVES_TIMEOUT_MS = 2_000;

/**
 * Live tunnels, and once more those that have just ceased to be: what a report says of devices. Where there are more than
 * fit, those who have left, come or fallen silent speak first and the others by turns; who was not heard waits for the next.
 */
export async function takeSigns(runtime: Runtime): Promise<TunnelStatus[]> {
  const { signs, silent } = await listSigns(runtime);
  const isLive = (sign: Sign) => sign.handshakeAgeSeconds < limits.connection.handshakeFreshSeconds;
  const live = new Map(signs.filter(isLive).map(({ config, tunnel }) => [config, tunnel]));
  const left = findLeft(runtime, live, silent).map((config) => ({
    config,
    handshakeAgeSeconds: 0,
    disconnected: true as const,
  }));
  const news = signs.filter((sign) => isLive(sign) !== runtime.live.has(sign.config));
  const others = signs.filter((sign) => isLive(sign) && runtime.live.has(sign.config));
  const room = Math.max(1, limits.node.maxSamplesPerReport - left.length - news.length);
  const turn = others.length === 0 ? 0 : (runtime.usage.seq * room) % others.length;
  const all = [...left, ...news, ...others.slice(turn), ...others.slice(0, turn)];
  const told = all.slice(0, limits.node.maxSamplesPerReport);
  const before = runtime.live;
  runtime.live = new Map(live);
  // What is not told stays news.
  for (const { config } of all.slice(told.length)) restore(runtime.live, config, before.get(config));
  for (const [config, tunnel] of before) if (silent.has(tunnel)) restore(runtime.live, config, tunnel);
  runtime.roundTrips.refresh(
    [...live].flatMap(([id, { interfaceName }]) => {
      const address = runtime.peers.get(id)?.address4;
      return address && !runtime.usage.configs.get(id)?.blocked ? [{ id, address, interfaceName }] : [];
    }),
  );
  return told.map(({ config, handshakeAgeSeconds, ...sign }) => {
    const pingMs = live.has(config) ? runtime.roundTrips.find(config) : null;
    return { config, handshakeAgeSeconds, pingMs, ...('disconnected' in sign ? { disconnected: true } : {}) };
  });
}

/** Configs whose device has come or gone since a report last said who is there. */
export async function findNews(runtime: Runtime): Promise<Set<string>> {
  const live = new Map<string, Tunnel>();
  const { signs, silent } = await listSigns(runtime);
  for (const { config, tunnel, handshakeAgeSeconds } of signs) {
    if (handshakeAgeSeconds < limits.connection.handshakeFreshSeconds) live.set(config, tunnel);
  }
  const come = [...live.keys()].filter((config) => !runtime.live.has(config));
  return new Set([...come, ...findLeft(runtime, live, silent)]);
}

interface Sign {
  readonly config: string;
  readonly tunnel: Tunnel;
  readonly handshakeAgeSeconds: number;
}

interface Signs {
  readonly signs: readonly Sign[];
  /** They did not say who is there. */
  readonly silent: ReadonlySet<Tunnel>;
}

async function listSigns(runtime: Runtime): Promise<Signs> {
  const silent = new Set<Tunnel>();
  const signs: Sign[] = [];
  const up = runtime.tunnels.filter((tunnel) => runtime.up.has(tunnel.protocol));
  // At the same time: most of it is waiting for the daemons.
  const asked = up.map(async (tunnel) => {
    const lives = await listLives(runtime, tunnel);
    if (!lives) silent.add(tunnel);
    return (lives ?? []).map((life) => ({ tunnel, life }));
  });
  const lives = (await Promise.all(asked)).flat();
  // Most of the time nobody is there; then the configs need not be gone through.
  if (lives.length === 0) return { signs, silent };
  const ids = new Map<string, string>();
  for (const [id, peer] of runtime.peers) ids.set(credentialOf(peer).name, id);
  for (const { tunnel, life } of lives) {
    const config = ids.get(life.credential);
    if (config !== undefined) signs.push({ config, tunnel, handshakeAgeSeconds: life.handshakeAgeSeconds });
  }
  return { signs, silent };
}

/** Where the daemon knows of leaving: those who were there and are not any more. */
function findLeft(runtime: Runtime, live: ReadonlyMap<string, Tunnel>, silent: ReadonlySet<Tunnel>): string[] {
  const knows = (tunnel: Tunnel) => tunnel.hasSessions && runtime.up.has(tunnel.protocol) && !silent.has(tunnel);
  return [...runtime.live].flatMap(([config, tunnel]) => (knows(tunnel) && !live.has(config) ? [config] : []));
}

function restore(live: Map<string, Tunnel>, config: string, tunnel: Tunnel | undefined): void {
  if (tunnel) live.set(config, tunnel);
  else live.delete(config);
}

/** Undefined where the daemon does not say: one that is just going down, or hangs. The report goes out all the same. */
async function listLives(runtime: Runtime, tunnel: Tunnel): Promise<TunnelLife[] | undefined> {
  try {
    return await within(LIVES_TIMEOUT_MS, tunnel.protocol, tunnel.listLives());
  } catch (error) {
    runtime.log.warn('lives', { protocol: tunnel.protocol, error: describeError(error) });
    return undefined;
  }
}
