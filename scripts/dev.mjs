import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { buildAgent } from './build.mjs';
import { childEnvironment, ensureInstalled, fail } from './install.mjs';

/**
 * `npm run dev`: the server, started anew when its files change, and the web from source with hot reload in front of it.
 * One address, http://127.0.0.1:5173. Ctrl-C stops both. Data is that of `npm start`.
 */
const node = ensureInstalled();
if (existsSync('.env')) process.loadEnvFile?.('.env');
const { status } = spawnSync(node, ['web/scripts/compile-messages.mjs'], { stdio: 'inherit', env: childEnvironment() });
if (status !== 0) fail('The messages of the web could not be compiled; see above.');
if (!buildAgent(node)) fail('The node agent could not be built; see above.');

const WEB_PORT = '5173';
const address = `http://127.0.0.1:${WEB_PORT}`;
const env = childEnvironment({ PORT: '3000', PUBLIC_URL: address, LOCAL_NODE: process.env.LOCAL_NODE ?? 'off' });
const children = [
  spawn(node, ['--watch', '--watch-preserve-output', 'server/src/main.ts', 'all'], { stdio: 'inherit', env }),
  spawn(node, ['web/dev.mjs', WEB_PORT], { stdio: 'inherit', env }),
];
console.log(`Open ${address} once the server says that it is ready.`);

let isStopping = false;
function stop(code) {
  if (isStopping) return;
  isStopping = true;
  process.exitCode = code;
  for (const child of children) if (child.exitCode === null) child.kill('SIGTERM');
}
for (const child of children) child.once('exit', (code) => stop(code ?? 0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0));
