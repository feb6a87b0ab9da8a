import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { addresses, type Network } from './network.ts';
import { node, type Running, root, start } from './processes.ts';

/** One VPN server machine: the node agent with its real daemons, inside the node's namespace. */
export interface VpnNode {
  readonly interfaceName: string;
  start(): Promise<void>;
  /** SIGTERM and wait. */
  stop(): Promise<void>;
  /** kill -9 of the agent; what it has set up in the kernel stays. */
  kill(): Promise<void>;
  said(): string;
}

export function createVpnNode(
  network: Network,
  directory: string,
  enrolment: { control: string; token: string },
): VpnNode {
  const interfaceName = `rn${network.id}`;
  const state = join(directory, 'node');
  mkdirSync(state, { recursive: true });
  const agent = ['node-agent/src/main.ts', '--control', enrolment.control, '--state', state];
  const place = ['--token', enrolment.token, '--interface', interfaceName, '--uplink', 'eth0'];
  let running: Running | undefined;
  return {
    interfaceName,
    start: async () => {
      running = start('ip', ['netns', 'exec', network.node, node, ...agent, ...place], {
        cwd: root,
        logFile: join(directory, 'agent.log'),
      });
    },
    stop: async () => running?.kill('SIGTERM'),
    kill: async () => running?.kill('SIGKILL'),
    said: () => running?.said() ?? '',
  };
}

/** What `nodes add` is told about this node. */
export const nodeDescription = [
  ...['--name', 'frankfurt-1', '--country', 'DE', '--city', 'Frankfurt'],
  ...['--address', addresses.node4],
] as const;
