import { readdirSync, readFileSync } from 'node:fs';

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

/** The network interfaces of this machine (sysfs). */
export interface Links {
  /** The kernel's number of an interface, which is never used again; undefined: there is none. */
  findIndex(name: string): string | undefined;
  /** Interfaces whose names are this and a number. */
  listNumbered(prefix: string): string[];
}

export const links: Links = {
  findIndex: (name) => {
    try {
      return readFileSync(`/sys/class/net/${name}/ifindex`, 'utf8').trim();
    } catch {
      return undefined;
    }
  },
  listNumbered: (prefix) =>
    readdirSync('/sys/class/net').filter((name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length))),
};
