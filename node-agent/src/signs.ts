import { limits } from '@raha/contract/limits.ts';
import type { TunnelSign } from '@raha/contract/node/protocol.ts';
import { describeError } from './log.ts';
import { credentialOf } from './plan.ts';
import type { Runtime } from './runtime.ts';
import type { Tunnel, TunnelLife } from './tunnels/tunnel.ts';

/** Live tunnels, and once more those that have just ceased to be: what a report says of devices. */
export async function takeSigns(runtime: Runtime): Promise<TunnelSign[]> {
  const live = new Map<string, Tunnel>();
  const signs: TunnelSign[] = [];
  for (const { config, tunnel, handshakeAgeSeconds } of await listSigns(runtime)) {
    const isLive = handshakeAgeSeconds < limits.connection.handshakeFreshSeconds;
    if (isLive) live.set(config, tunnel);
    if (!isLive && !runtime.live.has(config)) continue;
    signs.push({ config, handshakeAgeSeconds, pingMs: isLive ? runtime.roundTrips.find(config) : null });
  }
  for (const config of findLeft(runtime, live))
    signs.push({ config, handshakeAgeSeconds: 0, pingMs: null, left: true });
  runtime.live = live;
  runtime.roundTrips.refresh(
    [...live].flatMap(([id, { interfaceName }]) => {
      const address = runtime.peers.get(id)?.address4;
      return address && !runtime.usage.configs.get(id)?.blocked ? [{ id, address, interfaceName }] : [];
    }),
  );
  return signs;
}

/** Configs whose device has come or gone since a report last said who is there. */
export async function findNews(runtime: Runtime): Promise<Set<string>> {
  const live = new Map<string, Tunnel>();
  for (const { config, tunnel, handshakeAgeSeconds } of await listSigns(runtime)) {
    if (handshakeAgeSeconds < limits.connection.handshakeFreshSeconds) live.set(config, tunnel);
  }
  const come = [...live.keys()].filter((config) => !runtime.live.has(config));
  return new Set([...come, ...findLeft(runtime, live)]);
}

interface Sign {
  readonly config: string;
  readonly tunnel: Tunnel;
  readonly handshakeAgeSeconds: number;
}

async function listSigns(runtime: Runtime): Promise<Sign[]> {
  const signs: Sign[] = [];
  const up = runtime.tunnels.filter((tunnel) => runtime.up.has(tunnel.protocol));
  // At the same time: most of it is waiting for the daemons.
  const asked = up.map(async (tunnel) => (await listLives(runtime, tunnel)).map((life) => ({ tunnel, life })));
  const lives = (await Promise.all(asked)).flat();
  // Most of the time nobody is there; then the configs need not be gone through.
  if (lives.length === 0) return signs;
  const ids = new Map<string, string>();
  for (const [id, peer] of runtime.peers) ids.set(credentialOf(peer).name, id);
  for (const { tunnel, life } of lives) {
    const config = ids.get(life.credential);
    if (config !== undefined) signs.push({ config, tunnel, handshakeAgeSeconds: life.handshakeAgeSeconds });
  }
  return signs;
}

/** Where the daemon knows of leaving: those who were there and are not any more. */
function findLeft(runtime: Runtime, live: ReadonlyMap<string, Tunnel>): string[] {
  return [...runtime.live].flatMap(([config, tunnel]) =>
    tunnel.hasSessions && runtime.up.has(tunnel.protocol) && !live.has(config) ? [config] : [],
  );
}

/** A daemon that is just going down says nothing of its devices; the report goes out all the same. */
async function listLives(runtime: Runtime, tunnel: Tunnel): Promise<TunnelLife[]> {
  try {
    return await tunnel.listLives();
  } catch (error) {
    runtime.log.warn('lives', { protocol: tunnel.protocol, error: describeError(error) });
    return [];
  }
}
