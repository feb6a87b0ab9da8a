import type { Config } from '@raha/contract/public/configs.ts';

/**
 * The file of an OpenVPN config for OpenConnect, made on the device from the usual one: both have the same certificate, and a key that
 * we do not keep is in the usual file only.
 */
export function openconnectFile(ovpn: string, openconnect: Openconnect, filename: string): string | undefined {
  const parts = ['cert', 'key', 'ca'].map((name) =>
    new RegExp(`<${name}>\\n([^<]+)</${name}>`).exec(ovpn)?.[1]?.trim(),
  );
  if (!parts.every((part) => part !== undefined)) return undefined;
  // Text outside of the marked parts is not read (RFC 7468, 5.2).
  return [openconnectCommand(openconnect, filename), ...parts, ''].join('\n');
}

export type Openconnect = NonNullable<Config['server']['openconnect']>;

export function addressOf({ host, port }: Openconnect): string {
  return `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The file holds the device's certificate and key, and the authority by which the client knows the server. */
export function openconnectCommand(openconnect: Openconnect, filename: string): string {
  return `sudo openconnect --certificate=${filename} --cafile=${filename} ${addressOf(openconnect)}`;
}

/** Other than the usual file's, which has the same beginning. */
export function openconnectFilename(config: Config): string {
  return `raha-${config.server.location.country.toLowerCase()}-${config.id.slice(-4)}.pem`;
}
