import { readFileSync } from 'node:fs';

export type LinkState = 'absent' | 'down' | 'up';

const IFF_UP = 1;

/** Whether a network interface exists and is up (sysfs, `class/net/<name>/flags`). */
export function readLinkState(interfaceName: string): LinkState {
  try {
    const flags = Number(readFileSync(`/sys/class/net/${interfaceName}/flags`, 'utf8'));
    return (flags & IFF_UP) === 0 ? 'down' : 'up';
  } catch {
    return 'absent';
  }
}
