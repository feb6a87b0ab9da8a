import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shell } from '../platform/shell.ts';
import { V2rayEngine } from './v2ray-engine.ts';
import { createV2rayProcess } from './v2ray-process.ts';
import { v2rayUsers } from './v2ray-users.ts';

/** Users leave while the engine, or the kernel, does not do its part. */
const MANY = 120;
const interfaceName = 'rnpx';
const elapsedMs = () => performance.now();
let runDirectory: string;
let home: string;
let leader: ChildProcess | undefined;

beforeEach(() => {
  runDirectory = mkdtempSync(join(tmpdir(), 'raha-v2ray-'));
  home = join(runDirectory, interfaceName);
  mkdirSync(home);
});
afterEach(() => {
  leader?.kill('SIGKILL');
  leader = undefined;
  rmSync(runDirectory, { recursive: true });
});

test('120 users leave an engine that does not answer: no later engine lets one of them in', async () => {
  const names = Array.from({ length: MANY }, (_, index) => index.toString(16).padStart(32, '0'));
  const users = v2rayUsers(home);
  for (const name of names)
    users.write({ name, id: 'i', address4: '10.69.0.2', seat: users.takeSeat(), isSettled: true });
  const program = { path: '/bin/true', version: '4.34.0', command: () => ['/bin/true'] };
  const engine = new V2rayEngine(shell, { interfaceName, runDirectory, program, elapsedMs });
  await expect(engine.remove(names)).rejects.toThrow();
  // A later engine seats those alone who are settled.
  const left = v2rayUsers(home).list();
  expect(left.map(({ name }) => name).sort()).toEqual(names);
  expect(left.filter(({ isSettled }) => isSettled)).toEqual([]);
});

test('a kernel that does not end connections is an error, whichever of the addresses still has one', async () => {
  const pidPath = join(runDirectory, 'pid');
  leader = spawn('sh', ['-c', 'sleep 60; true', home], { detached: true, stdio: 'ignore' });
  writeFileSync(pidPath, String(leader.pid));
  const addresses = Array.from({ length: MANY }, (_, index) => `10.69.0.${index + 2}`);
  const asked: (readonly string[])[] = [];
  const ended = (open: string) => {
    asked.length = 0;
    const run = async (_: string, args: readonly string[]) => {
      asked.push(args);
      return args.includes('established') && args.includes(open) ? `tcp 0 0 ${open}:4711 192.0.2.1:80\n` : '';
    };
    const process = createV2rayProcess({ ...shell, run }, { interfaceName, home, pidPath, elapsedMs });
    return process.endConnections(addresses);
  };
  await ended('none');
  for (const address of addresses)
    expect(asked.filter((words) => words.includes('-K') && words.includes(address))).toHaveLength(1);
  for (const open of [addresses[0], addresses.at(-1)] as string[])
    await expect(ended(open)).rejects.toThrow('does not end open connections');
});
