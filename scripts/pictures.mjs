import { spawnSync } from 'node:child_process';
import { buildAgent, buildWeb } from './build.mjs';
import { childEnvironment, ensureInstalled, fail } from './install.mjs';

/** `npm run pictures`: the README's pictures, taken anew from a running product. Needs Chromium. */
const node = ensureInstalled();
if (!buildWeb(node) || !buildAgent(node)) fail('The product could not be built; see above.');
const { status } = spawnSync(node, ['e2e/pictures.ts'], { stdio: 'inherit', env: childEnvironment() });
process.exitCode = status ?? 1;
