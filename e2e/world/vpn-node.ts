import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unitCapabilities } from '../../node-agent/test/sandbox.ts';
import { waitUntilGone } from '../../server/src/platform/processes.ts';
import type { ClientKind } from './client.ts';
import { addresses, type Network } from './network.ts';
import { must, node, type Running, root, start } from './processes.ts';

/** One VPN server machine: the node agent with its real daemons, inside the node's namespace. */
export interface VpnNode {
  readonly interfaceName: string;
  start(): Promise<void>;
  /** SIGTERM and wait. */
  stop(): Promise<void>;
  /** kill -9 of the agent; its kernel state stays. */
  kill(): Promise<void>;
  /** SIGTERM for the protocol's daemon, which the agent restarts. */
  endDaemon(kind: ClientKind): Promise<void>;
  /** All files that the agent and its daemons have written. */
  writings(): { readonly path: string; readonly text: string }[];
  output(): string;
  /** Of the agent. */
  pid(): Promise<number>;
  /** Memory of the agent in bytes. */
  memory(): Promise<number>;
}

export function createVpnNode(
  network: Network,
  directory: string,
  enrolment: { control: string; token: string },
  { asInstalled = false } = {},
): VpnNode {
  const interfaceName = `rn${network.id}`;
  const state = join(directory, 'node');
  mkdirSync(state, { recursive: true });
  const program = asInstalled ? ['node-agent/dist/raha-agent.mjs'] : ['node-agent/src/main.ts'];
  const flags = asInstalled ? installedFlags() : [];
  const agent = [...flags, ...program, '--control', enrolment.control, '--state', state];
  const names = ['--dns-forward', addresses.names4, '--block-list', join(directory, 'blocked-names')];
  const tokenFile = join(directory, 'enrolment-token');
  writeFileSync(tokenFile, enrolment.token, { mode: 0o600 });
  // The control plane is in another namespace, and nobody else is on the way.
  const options = [
    '--insecure-control',
    '--token-file',
    tokenFile,
    '--interface',
    interfaceName,
    '--uplink',
    'eth0',
    // Debian's, where it is installed; the proxy is off at first.
    '--proxy-engine',
    '/usr/bin/v2ray',
    ...names,
  ];
  const homes = ['ov', 'ot', 'oc', 'px', 'ik', 'dn'].map((part) => join('/run/raha', `${interfaceName}${part}`));
  let running: Running | undefined;
  const listPids = async () =>
    (await must('ip', ['netns', 'pids', network.node])).split('\n').filter(Boolean).map(Number);
  const findAgent = async () => {
    const isAgentProcess = (pid: number) =>
      program.every((path) => readWhatIsThere(`/proc/${pid}/cmdline`).includes(path));
    const [pid, ...others] = (await listPids()).filter(isAgentProcess);
    if (pid === undefined || others.length > 0) throw new Error(`${pid ? 1 + others.length : 0} agents are there`);
    return pid;
  };
  return {
    interfaceName,
    start: async () => {
      running = start('ip', ['netns', 'exec', network.node, ...unitCapabilities(), node, ...agent, ...options], {
        cwd: root,
        logFile: join(directory, 'agent.log'),
      });
    },
    stop: async () => {
      await running?.kill('SIGTERM');
      await endEngine(interfaceName);
      // The daemons outlive the agent until their namespace is removed; they need no files for that.
      for (const home of homes) rmSync(home, { recursive: true, force: true });
    },
    kill: async () => running?.kill('SIGKILL'),
    endDaemon: async (kind) => {
      const daemons = { wireguard: 'wireguard-go', openvpn: 'openvpn', openconnect: 'ocserv-main', ikev2: 'charon' };
      const daemon = daemons[kind];
      const running = (await listPids()).filter((pid) => readWhatIsThere(`/proc/${pid}/comm`).trim() === daemon);
      if (running.length !== 1) throw new Error(`${running.length} processes are called ${daemon}`);
      for (const pid of running) {
        process.kill(pid, 'SIGTERM');
        if (!(await waitUntilGone(pid, 5_000))) throw new Error(`${daemon} goes on`);
      }
    },
    writings: () =>
      [join(directory, 'agent.log'), state, ...homes].flatMap(listFiles).map((path) => ({
        path,
        text: readWhatIsThere(path),
      })),
    output: () => running?.output() ?? '',
    pid: findAgent,
    memory: async () => {
      const status = readFileSync(`/proc/${await findAgent()}/status`, 'utf8');
      return 1_024 * Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]);
    },
  };
}

/** The proxy's engine is in a namespace of its own, and would outlive this one's. It ends with its group. */
async function endEngine(interfaceName: string): Promise<void> {
  const leader = Number(readWhatIsThere(`/run/raha/${interfaceName}px/pid`));
  if (!readWhatIsThere(`/proc/${leader}/cmdline`).includes(`${interfaceName}px`)) return;
  process.kill(-leader, 'SIGTERM');
  await waitUntilGone(leader, 5_000);
}

/** With which an installed agent is started. */
function installedFlags(): string[] {
  const run = readFileSync(join(root, 'node-agent/install/run'), 'utf8');
  const flags = /^exec \.\/node (.*) \.\/raha-agent\.mjs /m.exec(run)?.[1];
  if (!flags) throw new Error('node-agent/install/run starts the agent otherwise than this expects');
  return flags.split(' ');
}

/** Short commands exit, and files are replaced, between being listed and being read: those count as empty. */
function readWhatIsThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

function listFiles(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isFile()) return [path];
  return found.isDirectory() ? readdirSync(path).flatMap((name) => listFiles(join(path, name))) : [];
}

/** The arguments of `nodes add` for this node. */
export const nodeDescription = [
  ...['--name', 'frankfurt-1', '--country', 'DE', '--city', 'Frankfurt'],
  ...['--address', addresses.node4],
] as const;
