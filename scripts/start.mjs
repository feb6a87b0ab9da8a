import { existsSync } from 'node:fs';
import { buildAgent, buildWeb } from './build.mjs';
import { ensureInstalled, fail } from './install.mjs';
import { runInForeground } from './run.mjs';
import { buildSbom } from './sbom.mjs';
import { dataPlanePackages, ensureSystemPackages } from './system-packages.mjs';

/** `npm start`: from a fresh clone to a running product. Arguments choose the parts: server, worker, migrate, all. */

const node = ensureInstalled();
if (existsSync('.env')) process.loadEnvFile?.('.env');
const localNodeWanted = process.env.LOCAL_NODE !== 'off' && process.platform === 'linux' && process.getuid() === 0;
if (localNodeWanted && existsSync('/dev/net/tun')) ensureSystemPackages(dataPlanePackages);
if (!buildWeb(node)) fail('The web could not be built; see above.');
if (!buildAgent(node)) fail('The node agent could not be built; see above.');
if (!buildSbom()) console.error('The list of shipped packages (SBOM) could not be written; see above.');
const roles = process.argv.slice(2);
runInForeground(node, ['server/src/main.ts', ...(roles.length > 0 ? roles : ['all'])]);
