import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { node, root, start } from './processes.ts';
import type { World } from './world.ts';

/** The operator's website on the node, which hands the proxy's path on to its engine. `certificate`: its own authority. */
export interface ProxyWebsite {
  readonly url: string;
  readonly certificate: string;
}

export async function openProxyWebsite(
  { directory, network, vpnNode }: World,
  name: string,
  path: string,
): Promise<ProxyWebsite> {
  const [key, certificate] = [join(directory, 'site.key'), join(directory, 'site.crt')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const socket = `/run/raha/${vpnNode.interfaceName}px/inbound/socket`;
  const site = [node, join(root, 'e2e/world/node-website.ts'), key, certificate, path, socket];
  const running = start('ip', ['netns', 'exec', network.node, ...site], { logFile: join(directory, 'site.log') });
  await running.waitFor(/is up/, 10_000);
  return { url: `https://${name}${path}`, certificate };
}
