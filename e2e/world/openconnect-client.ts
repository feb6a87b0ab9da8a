import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.ts';
import type { Network } from './network.ts';
import { must, pause, type Running, start, until } from './processes.ts';

const CONNECTED = /Configured as /;
const REFUSED = /Cookie was rejected|Failed to (?:open|connect|complete)/;

/** Debian's `openconnect` with the panel's file, run as its first line says. */
export function openconnect(network: Network, directory: string): Client {
  const name = `rc${network.id}oc`;
  const path = join(directory, `${name}.pem`);
  let running: Running | undefined;
  const hasRoutes = async () => {
    const routes = ['-4', '-6'].map((family) =>
      must('ip', ['-n', network.client, family, 'route', 'show', 'default', 'dev', name]),
    );
    return (await Promise.all(routes)).every((text) => text.trim() !== '');
  };
  const isRunning = () => running?.child.exitCode === null && running.child.signalCode === null;
  return {
    interfaceName: name,
    up: async (file) => {
      // Where its script notes the routes that it has replaced.
      mkdirSync('/run/vpnc', { recursive: true });
      writeFileSync(path, file, { mode: 0o600 });
      const url = /https:\/\/\S+/.exec(file)?.[0] ?? '';
      const command = ['openconnect', `--certificate=${path}`, `--cafile=${path}`, url];
      running = start('ip', ['netns', 'exec', network.client, ...command, '--non-inter', '--interface', name], {
        logFile: join(directory, 'openconnect-client.log'),
      });
      const [outcome] = await running.waitFor(new RegExp(`${CONNECTED.source}|${REFUSED.source}`), 30_000);
      // It says so before its script has set the routes.
      if (CONNECTED.test(outcome)) await until('the routes', hasRoutes);
    },
    down: async () => {
      await running?.kill('SIGINT');
      while (isRunning()) await pause(20);
    },
    handshakes: async () => (CONNECTED.test(running?.output() ?? '') ? 1 : 0),
    isRunning: async () => isRunning(),
  };
}
