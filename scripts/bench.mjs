import { buildAgent, buildWeb } from './build.mjs';
import { ensureInstalled, fail } from './install.mjs';
import { runInForeground } from './run.mjs';
import { dataPlanePackages, ensureSystemPackages } from './system-packages.mjs';

/** `npm run bench -- [parts]`: every figure the README quotes, against its yardstick in the same run. */
const node = ensureInstalled();
ensureSystemPackages(dataPlanePackages);
ensureSystemPackages({ postgresql: 'pgbench', iperf3: 'iperf3' });
if (!buildWeb(node)) fail('The web could not be built; see above.');
if (!buildAgent(node)) fail('The node agent could not be built; see above.');
runInForeground(node, ['bench/main.ts', ...process.argv.slice(2)]);
