import type { Config } from '@raha/contract/public/configs.ts';
import { wireguardJunk } from '@raha/contract/wireguard-junk.ts';

/**
 * Other forms of a WireGuard file, made on the device from the usual one: a file whose key never left the browser has them as well.
 */

const ENDPOINT = /^(Endpoint = .*):(\d+)$/m;

export function portOf(file: string): number | undefined {
  const port = ENDPOINT.exec(file)?.[2];
  return port === undefined ? undefined : Number(port);
}

export function withPort(file: string, port: number): string {
  return file.replace(ENDPOINT, `$1:${port}`);
}

/** The programs that can use such a file. */
export type WireguardApp = 'WireGuard' | 'AmneziaWG';

/** For AmneziaWG, which takes a WireGuard file with more keys in its first section. WireGuard refuses keys that it does not know. */
export function forAmnezia(file: string): string {
  const keys = Object.entries(wireguardJunk).map(([key, value]) => `${key} = ${value}`);
  return file.replace('\n\n[Peer]\n', `\n${keys.join('\n')}\n\n[Peer]\n`);
}

/**
 * Differs from the usual file's name, because clients refuse a second tunnel of a name, and a second download gets a name that they
 * refuse; with at most 15 plain characters before the dot.
 */
export function variantName(config: Config, port: number, app: WireguardApp): string {
  return `${app === 'AmneziaWG' ? 'awg' : 'raha'}-${config.id.slice(-4)}-${port}.conf`;
}
