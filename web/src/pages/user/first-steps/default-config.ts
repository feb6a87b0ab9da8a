import { limits } from '@raha/contract/limits.ts';
import type { Protocol } from '@raha/contract/protocols.ts';
import type { Server } from '@raha/contract/public/configs.ts';
import { offeredServers } from '../configs/best-server.ts';
import type { System } from '../configs/device-system.ts';

export interface DefaultConfig {
  readonly name: string;
  readonly server: Server;
  readonly protocol: Protocol;
}

/**
 * What is easiest to get running on each system, best first. Apple's systems have IKEv2 built in and take a profile for it:
 * no app. The others run WireGuard's own app, which connects in one round trip.
 */
const preferred: Readonly<Record<System, readonly Protocol[]>> = {
  ios: ['ikev2', 'wireguard', 'openvpn'],
  macos: ['ikev2', 'wireguard', 'openvpn'],
  android: ['wireguard', 'openvpn', 'ikev2'],
  windows: ['wireguard', 'ikev2', 'openvpn'],
  linux: ['wireguard', 'openvpn', 'ikev2'],
};

/**
 * A config without questions: the best server that serves the protocol best for the system, and a name that is free.
 * `protocols` narrows the choice. Undefined if no server can take it now.
 */
export function defaultConfig(
  system: System,
  servers: readonly Server[],
  name: string,
  protocols: readonly Protocol[] = preferred[system],
): DefaultConfig | undefined {
  const offered = offeredServers(servers);
  for (const protocol of protocols) {
    const server = offered.find((candidate) => candidate.protocols.includes(protocol));
    if (server) return { name, server, protocol };
  }
  return undefined;
}

/** `base`, or `base 2` and so on: names of configs are unique for their owner. */
export function freeName(base: string, taken: readonly string[], count: (value: number) => string): string {
  const short = base.slice(0, limits.config.nameMax - 4).trim();
  for (let copy = 1; ; copy++) {
    const name = copy === 1 ? short : `${short} ${count(copy)}`;
    if (!taken.includes(name)) return name;
  }
}
