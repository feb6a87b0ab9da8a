import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { delimiter, join } from 'node:path';
import { addNode, renewEnrolment } from '../modules/fleet/add-node.ts';
import { isRunning, waitUntilGone } from '../platform/processes.ts';
import type { Deps } from './deps.ts';

const NAME = 'local';
const agent = join(import.meta.dirname, '../../../node-agent/src/main.ts');

/** What this machine lacks to run a VPN node; empty when it can. */
export function missingForLocalNode(programPath: string): string[] {
  if (process.platform !== 'linux') return ['Linux'];
  const missing: string[] = [];
  if (process.getuid?.() !== 0) missing.push('root');
  if (!canOpen('/dev/net/tun')) missing.push('/dev/net/tun');
  for (const command of ['wg', 'wireguard-go', 'nft', 'ip']) if (!onPath(command, programPath)) missing.push(command);
  return missing;
}

/**
 * Runs the agent of a node on this machine, in a process of its own that is restarted when it ends. A clean stop removes
 * the tunnels; a killed server leaves them running, and the next start takes them over.
 */
export async function startLocalNode(deps: Deps): Promise<{ stop(): Promise<void> }> {
  const directory = join(deps.config.dataDir, 'local-node');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pidFile = join(directory, 'agent.pid');
  await stopAbandoned(pidFile);
  // The agent deletes the token when it has enrolled; one that is still there may have expired.
  const tokenFile = join(directory, 'enrolment-token');
  if (!existsSync(join(directory, 'enrolled')) || existsSync(tokenFile)) {
    writeFileSync(tokenFile, await enrolmentToken(deps), { mode: 0o600 });
  }
  let stopping = false;
  let child: ChildProcess | undefined;
  const start = () => {
    const log = openSync(join(directory, 'agent.log'), 'a', 0o600);
    child = spawn(
      process.execPath,
      [agent, '--control', deps.address.origin, '--state', directory, '--teardown-on-exit'],
      { stdio: ['ignore', log, log], detached: true },
    );
    if (child.pid) writeFileSync(pidFile, String(child.pid), { mode: 0o600 });
    writeFileSync(join(directory, 'enrolled'), '');
    child.once('exit', (code, signal) => {
      if (stopping) return;
      deps.log.warn(
        { code, signal, log: join(directory, 'agent.log') },
        'the local node agent ended and will be restarted',
      );
      setTimeout(() => !stopping && start(), 2_000).unref();
    });
  };
  start();
  return {
    async stop() {
      stopping = true;
      const pid = child?.pid;
      if (!pid || child?.exitCode !== null) return;
      child.kill('SIGTERM');
      if (!(await waitUntilGone(pid, 6_000))) child.kill('SIGKILL');
    },
  };
}

async function enrolmentToken(deps: Deps): Promise<string> {
  const renewed = await renewEnrolment(deps, NAME);
  if (renewed) return renewed.token;
  const order = { name: NAME, country: 'IR', city: 'این دستگاه', address: ownAddress(deps.publicUrl) };
  return (await addNode(deps, order)).token;
}

async function stopAbandoned(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  if (!Number.isInteger(pid) || pid <= 1 || !isRunning(pid, agent)) return;
  process.kill(pid, 'SIGTERM');
  if (!(await waitUntilGone(pid, 6_000))) process.kill(pid, 'SIGKILL');
}

/** The address at which devices reach this machine: the public host name, or else its first external address. */
function ownAddress(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  if (!['127.0.0.1', 'localhost', '[::1]', '0.0.0.0'].includes(hostname)) return hostname;
  const external = Object.values(networkInterfaces())
    .flat()
    .find((address) => address && !address.internal && address.family === 'IPv4');
  return external?.address ?? '127.0.0.1';
}

function canOpen(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function onPath(command: string, programPath: string): boolean {
  const directories = [...programPath.split(delimiter), '/usr/sbin', '/sbin'];
  return directories.some((directory) => existsSync(join(directory, command)));
}
