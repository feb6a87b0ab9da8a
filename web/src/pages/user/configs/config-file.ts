import type { Config } from '@raha/contract/public/configs.ts';

const extensions: Record<Config['protocol'], string> = { wireguard: 'conf', openvpn: 'ovpn', ikev2: 'mobileconfig' };

/** A file name that every client takes as the tunnel's name: at most 15 plain characters before the dot. */
export function filenameOf(config: Config): string {
  return `raha-${config.server.location.country.toLowerCase()}-${config.id.slice(-4)}.${extensions[config.protocol]}`;
}

/** Hands a text over as a file. */
export function saveFile(filename: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** The private key of a WireGuard config that was made on a device is on that device only. */
export function isOnDeviceOnly(config: Config): boolean {
  return config.protocol === 'wireguard' && !config.keepKey;
}
