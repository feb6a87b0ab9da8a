import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLinkState } from '../platform/link.ts';
import type { Shell } from '../platform/shell.ts';
import { findGroup } from './openvpn-files.ts';
import type { ProxySetup } from './proxy-engine.ts';
import { linkAddresses } from './v2ray-config.ts';

/**
 * A program in a network namespace of its own, as nobody, and the interface that leads there. What it sends is therefore forwarded by this machine
 * like what comes from a tunnel. The namespace ends with the program, and the interface with the namespace.
 */
export interface V2rayProcess {
  start(setup: ProxySetup, command: readonly string[]): Promise<void>;
  stop(): Promise<void>;
  isAlive(): boolean;
  /** Ends every connection that the program has open from these addresses. Throws when some are left. */
  endConnections(addresses: readonly string[]): Promise<void>;
}

export interface V2rayProcessOptions {
  readonly interfaceName: string;
  /** The directory of its files, which is in the command of each of its processes. */
  readonly home: string;
  /** Where the leader of its process group writes its number. */
  readonly pidPath: string;
  elapsedMs(): number;
}

const START_TIMEOUT_MS = 5_000;
const STOP_TIMEOUT_MS = 4_000;
const STEP_MS = 50;
/** As one filter of `ss`. */
const ADDRESSES_AT_ONCE = 50;

/**
 * Inside the namespace. Loopback stays down, so that users reach neither the program itself nor each other. The addresses of all slots are local
 * there; the end of the network is the link's. The shell stays as the leader, by whose number the namespace is found.
 */
const INSIDE = `set -e
name=$1 parent=$2 address=$3 gateway=$4 routes=$5 home=$6 group=$7
shift 7
ip link add eth0 type veth peer name "$name" netns "$parent"
ip addr add "$address" dev eth0
ip link set eth0 up
ip route add default via "$gateway"
for route in $routes; do ip route add local "$route" dev eth0; done
rm -rf "$home/inbound" "$home/api"
install -d -o nobody -g "$group" -m 0755 "$home/inbound"
install -d -o nobody -g "$group" -m 0700 "$home/api"
setpriv --reuid=nobody --regid="$group" --clear-groups --inh-caps=-all --no-new-privs "$@" &
echo $$ > "$home/pid"
wait $!
`;

/** All of the network but its last 512 addresses; slots end before (`limits.node.addressesPerNode`). */
const SLOTS = ['0.0/17', '128.0/18', '192.0/19', '224.0/20', '240.0/21', '248.0/22', '252.0/23'];

export function createV2rayProcess(shell: Shell, options: V2rayProcessOptions): V2rayProcess {
  const { interfaceName, home, pidPath, elapsedMs } = options;
  const readLeader = () => Number(readText(pidPath)) || undefined;
  const isAlive = () => {
    const leader = readLeader();
    return leader !== undefined && isOf(leader, leader, home);
  };

  async function waitFor(what: string, isSo: () => boolean): Promise<void> {
    const deadline = elapsedMs() + START_TIMEOUT_MS;
    while (!isSo()) {
      if (elapsedMs() > deadline) throw new Error(`the proxy does not start: ${what}`);
      await sleep(STEP_MS);
    }
  }

  return {
    start: async (setup, command) => {
      // Left by a leader that was killed alone.
      if (readLinkState(interfaceName) !== 'absent') await shell.run('ip', ['link', 'del', interfaceName]);
      const { engine, gateway } = linkAddresses(setup);
      const prefix = setup.network.split('.').slice(0, 2).join('.');
      const routes = SLOTS.map((part) => `${prefix}.${part}`).join(' ');
      const words = [interfaceName, String(process.pid), `${engine}/30`, gateway, routes, home, findGroup()];
      await shell.startDaemon('unshare', ['--net', 'sh', '-c', INSIDE, 'sh', ...words, ...command]);
      await waitFor('it has no network', () => readLinkState(interfaceName) !== 'absent' && isAlive());
      await shell.run('ip', ['addr', 'add', `${gateway}/30`, 'dev', interfaceName]);
      await shell.run('ip', ['link', 'set', interfaceName, 'up']);
      await shell.run('ip', ['route', 'replace', `${prefix}.0.0/16`, 'via', engine, 'dev', interfaceName]);
    },

    stop: async () => {
      const leader = readLeader();
      let signal: NodeJS.Signals | undefined = 'SIGTERM';
      const deadline = elapsedMs() + STOP_TIMEOUT_MS;
      for (let left = findProcesses(leader, home); left.length > 0; left = findProcesses(leader, home)) {
        if (signal) for (const pid of left) tell(pid, signal);
        signal = elapsedMs() > deadline ? 'SIGKILL' : undefined;
        await sleep(STEP_MS);
      }
    },

    isAlive,

    endConnections: async (addresses) => {
      for (let at = 0; at < addresses.length && isAlive(); at += ADDRESSES_AT_ONCE) {
        const filter = addresses.slice(at, at + ADDRESSES_AT_ONCE).flatMap((address) => ['or', 'src', address]);
        const ss = [`--net=/proc/${readLeader()}/ns/net`, 'ss', '-H', '-n', '-t', '-u'];
        const from = ['(', ...filter.slice(1), ')'];
        await shell.run('nsenter', [...ss, '-a', '-K', ...from]);
        // A kernel without this says nothing.
        const left = await shell.run('nsenter', [...ss, 'state', 'established', ...from]);
        if (left.trim() !== '') throw new Error('the kernel does not end open connections');
      }
    },
  };
}

/** Its processes, as far as they are its own: their group is the leader's, whose number may be another's by now. */
function findProcesses(leader: number | undefined, home: string): number[] {
  if (leader === undefined) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isOf(pid, leader, home));
}

function isOf(pid: number, leader: number, home: string): boolean {
  const [state, , group] = readText(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');
  if (state === 'Z' || Number(group) !== leader) return false;
  return readText(`/proc/${pid}/cmdline`).includes(home);
}

/** Empty when there is nothing, or not any more. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}
