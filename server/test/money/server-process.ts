import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { inherited } from '../inherited.ts';
import { TEST_MASTER_KEY, type TestWorld } from '../world.ts';

const root = join(import.meta.dirname, '../../..');
const node = join(root, 'node_modules/.bin/node');

/** The product in its own process, on the database and the banks of a test. */
export function spawnServer(
  world: TestWorld,
  role: 'server' | 'all',
  at: { port: number; dataDir: string },
  more: Record<string, string> = {},
): ChildProcess {
  const bank = (name: string) => `${world.origin}/dev/bank/${name}`;
  return spawn(node, ['server/src/main.ts', role], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...inherited,
      NODE_ENV: 'test',
      PORT: String(at.port),
      PUBLIC_URL: `http://127.0.0.1:${at.port}`,
      DATA_DIR: at.dataDir,
      DATABASE_URL: world.deps.databaseUrl,
      MASTER_KEY: TEST_MASTER_KEY,
      LOCAL_NODE: 'off',
      // A busy machine is no database that is away.
      DATABASE_SILENT_SECONDS: '30',
      DATABASE_CONNECT_SECONDS: '30',
      LOG_LEVEL: 'silent',
      ZARINPAL_BASE_URL: bank('zarinpal'),
      IDPAY_BASE_URL: bank('idpay'),
      NEXTPAY_BASE_URL: bank('nextpay'),
      ...more,
    },
  });
}

export async function becomesReady(server: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error('the server ended before it was ready')));
    server.stdout?.on('data', (data: Buffer) => String(data).includes('Raha is ready') && resolve());
  });
}
