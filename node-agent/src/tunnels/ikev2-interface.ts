import { existsSync } from 'node:fs';
import type { Shell } from '../platform/shell.ts';
import { type Ikev2Settings, INTERFACE_ID } from './ikev2-commands.ts';
import { CHARON } from './ikev2-daemon.ts';
import type { IpsecMode } from './ikev2-files.ts';

const PLUGIN_DIRECTORY = '/usr/lib/ipsec/plugins';
const PLUGINS = ['vici', 'eap-mschapv2', 'eap-identity', 'openssl'];
/** Room for ESP within UDP within IPv6 on a usual link. */
const MTU = 1400;

/** Who can encrypt here; undefined where strongSwan or what it needs is not there. */
export async function findIpsec(
  shell: Shell,
  isThere: (path: string) => boolean = existsSync,
): Promise<IpsecMode | undefined> {
  const has = (plugin: string) => isThere(`${PLUGIN_DIRECTORY}/libstrongswan-${plugin}.so`);
  if (!isThere(CHARON) || !PLUGINS.every(has)) return undefined;
  if (await hasKernelEsp(shell)) return 'kernel';
  return has('kernel-libipsec') ? 'userspace' : undefined;
}

/** Ours to name in the kernel; a daemon that encrypts by itself has a device of this name. */
export function ikev2Interface({ name, mode }: { readonly name: string; readonly mode: IpsecMode }): string {
  return mode === 'kernel' ? name : 'ipsec0';
}

/** Makes it where it is ours to make, and gives it the node's own addresses. */
export async function openInterface(
  shell: Shell,
  { interfaceName, mode }: { readonly interfaceName: string; readonly mode: IpsecMode },
  { address4, address6 }: Ikev2Settings,
): Promise<void> {
  if (mode === 'kernel') await makeInterface(shell, interfaceName);
  const script = [
    `addr replace ${address4} dev ${interfaceName}`,
    `addr replace ${address6} dev ${interfaceName} nodad`,
    `link set ${interfaceName} mtu ${MTU} up`,
  ];
  await shell.run('ip', ['-batch', '-'], { input: `${script.join('\n')}\n` });
}

export async function removeInterface(shell: Shell, interfaceName: string): Promise<void> {
  await shell.run('ip', ['link', 'del', interfaceName]).catch(() => {});
}

/** Packets of policies with our mark come out of it and go in at it, so that the rules know them by its name. */
async function makeInterface(shell: Shell, interfaceName: string): Promise<void> {
  try {
    await shell.run('ip', ['link', 'show', 'dev', interfaceName, 'type', 'xfrm']);
  } catch {
    await shell.run('ip', ['link', 'add', interfaceName, 'type', 'xfrm', 'dev', 'lo', 'if_id', String(INTERFACE_ID)]);
  }
}

/** Whether the kernel has an interface for IPsec, and the cipher; tried out and taken back. */
async function hasKernelEsp(shell: Shell): Promise<boolean> {
  const name = 'rahaprobe';
  const state = ['src', '192.0.2.1', 'dst', '192.0.2.2', 'proto', 'esp', 'spi', '0x72616861'];
  const cipher = ['aead', 'rfc4106(gcm(aes))', `0x${'00'.repeat(36)}`, '128'];
  const takeBack = async () => {
    for (const words of [
      ['link', 'del', name],
      ['xfrm', 'state', 'delete', ...state],
    ]) {
      await shell.run('ip', words).catch(() => {});
    }
  };
  // An agent that was killed here has left something.
  await takeBack();
  try {
    await shell.run('ip', ['link', 'add', name, 'type', 'xfrm', 'dev', 'lo', 'if_id', '1']);
    await shell.run('ip', ['xfrm', 'state', 'add', ...state, 'mode', 'tunnel', ...cipher]);
    return true;
  } catch {
    return false;
  } finally {
    await takeBack();
  }
}
