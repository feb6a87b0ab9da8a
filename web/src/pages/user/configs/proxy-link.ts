import { proxyIdOf, proxyIdSource } from '@raha/contract/proxy-id.ts';

/**
 * The link with which an app reaches the proxy of a config's server, made on the device from the OpenVPN file: what lets it in is made of a
 * key that is in there. Undefined when the file has none, or this browser cannot compute (it does so on safe pages only).
 */
export async function proxyLink(ovpn: string, url: string, name: string): Promise<string | undefined> {
  const key = /<tls-crypt-v2>([^<]+)<\/tls-crypt-v2>/.exec(ovpn)?.[1];
  if (key === undefined || !globalThis.crypto?.subtle) return undefined;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(proxyIdSource(key)));
  const { hostname, port, pathname } = new URL(url);
  const query = Object.entries({
    encryption: 'none',
    security: 'tls',
    sni: hostname,
    type: 'ws',
    host: hostname,
    path: pathname,
  }).map(([field, value]) => `${field}=${encodeURIComponent(value)}`);
  const id = proxyIdOf(new Uint8Array(digest));
  return `vless://${id}@${hostname}:${port || '443'}?${query.join('&')}#${encodeURIComponent(name)}`;
}
