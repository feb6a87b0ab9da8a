import { existsSync } from 'node:fs';
import type { Shell } from '../platform/shell.ts';
import { type Ikev2Settings, INTERFACE_ID } from './ikev2-commands.ts';
import { CHARON } from './ikev2-daemon.ts';
import type { IpsecMode } from './ikev2-files.ts';

const PLUGIN_DIRECTORY = '/usr/lib/ipsec/plugins';
const PLUGINS = ['vici', 'eap-mschapv2', 'eap-identity', 'openssl'];
/** Leaves room for ESP in UDP in IPv6 on a 1500-byte link. */
const MTU = 1400;

/** What can encrypt on this machine; undefined when strongSwan or something that it needs is missing. */
export async function findIpsec(
  shell: Shell,
  exists: (path: string) => boolean = existsSync,
): Promise<IpsecMode | undefined> {
  const has = (plugin: string) => exists(`${PLUGIN_DIRECTORY}/libstrongswan-${plugin}.so`);
  if (!exists(CHARON) || !PLUGINS.every(has)) return undefined;
  if (await hasKernelEsp(shell)) return 'kernel';
  return has('kernel-libipsec') ? 'userspace' : undefined;
}

/** In kernel mode the agent chooses the name; a daemon that encrypts itself always uses `ipsec0`. */
export function ikev2Interface({ name, mode }: { readonly name: string; readonly mode: IpsecMode }): string {
  return mode === 'kernel' ? name : 'ipsec0';
}

/** Creates the interface in kernel mode, and gives it the node's addresses. */
export async function openInterface(
  shell: Shell,
  { interfaceName, mode }: { readonly interfaceName: string; readonly mode: IpsecMode },
  { address4, address6 }: Ikev2Settings,
): Promise<void> {
  if (mode === 'kernel') await createInterface(shell, interfaceName);
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

/** An xfrm interface carries the packets of policies with our id, so that the firewall can match its name. */
async function createInterface(shell: Shell, interfaceName: string): Promise<void> {
  try {
    await shell.run('ip', ['link', 'show', 'dev', interfaceName, 'type', 'xfrm']);
  } catch {
    await shell.run('ip', ['link', 'add', interfaceName, 'type', 'xfrm', 'dev', 'lo', 'if_id', String(INTERFACE_ID)]);
  }
}

/** Whether the kernel supports xfrm interfaces and the cipher; tested by creating both, and cleaned up. */
async function hasKernelEsp(shell: Shell): Promise<boolean> {
  const name = 'rahaprobe';
  const state = ['src', '192.0.2.1', 'dst', '192.0.2.2', 'proto', 'esp', 'spi', '0x72616861'];
  const cipher = ['aead', 'rfc4106(gcm(aes))', `0x${'00'.repeat(36)}`, '128'];
  const cleanUp = async () => {
    for (const words of [
      ['link', 'del', name],
      ['xfrm', 'state', 'delete', ...state],
    ]) {
      await shell.run('ip', words).catch(() => {});
    }
  };
  // An agent that was killed at this point has left something behind.
  await cleanUp();
  try {
    await shell.run('ip', ['link', 'add', name, 'type', 'xfrm', 'dev', 'lo', 'if_id', '1']);
    await shell.run('ip', ['xfrm', 'state', 'add', ...state, 'mode', 'tunnel', ...cipher]);
    return true;
  } catch {
    return false;
  } finally {
    await cleanUp();
  }
}
