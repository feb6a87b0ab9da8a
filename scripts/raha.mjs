import { buildAgent } from './build.mjs';
import { ensureInstalled, fail } from './install.mjs';
import { runInForeground } from './run.mjs';

/** `npm run raha -- <noun> <verb>`: the operator's command line. */
const [noun, verb] = process.argv.slice(2);
const node = ensureInstalled();
// What is signed is what this checkout builds.
if (noun === 'release' && verb === 'sign' && !buildAgent(node)) fail('The node agent could not be built; see above.');
runInForeground(node, ['server/src/cli.ts', ...process.argv.slice(2)]);
