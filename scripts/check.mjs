import { spawn } from 'node:child_process';
import { childEnvironment, ensureInstalled } from './install.mjs';

/**
 * `npm run check`: types, format, lint, walls and unit tests, side by side on two cores. No database, no browser, no root.
 * The fleets in virtual time run with fewer seeds here; `npm test` runs all of them.
 */
const node = ensureInstalled();
const bin = 'node_modules';
const lanes = [
  [
    ['messages', ['web/scripts/compile-messages.mjs']],
    ['types', [`${bin}/typescript/bin/tsc`, '-p', 'tsconfig.json']],
    ['types of the journeys and of the benchmark', [`${bin}/typescript/bin/tsc`, '-p', 'e2e/tsconfig.json']],
    ['types of the web', [`${bin}/typescript/bin/tsc`, '-p', 'web/tsconfig.json']],
    ['lost promises', [`${bin}/oxlint/bin/oxlint`, '--deny-warnings']],
  ],
  [
    ['format and lint', [`${bin}/@biomejs/biome/bin/biome`, 'check', '--error-on-warnings', '.']],
    [
      'walls',
      [
        `${bin}/dependency-cruiser/bin/dependency-cruiser.mjs`,
        ...['--config', '.dependency-cruiser.cjs', 'contract/src', 'server/src', 'node-agent/src', 'web/src'],
      ],
    ],
    ['unit tests', [`${bin}/vitest/vitest.mjs`, 'run', '--project', 'unit', '--silent=passed-only']],
  ],
];

const start = performance.now();
const failed = (await Promise.all(lanes.map(runLane))).flat();
const seconds = ((performance.now() - start) / 1000).toFixed(0);
console.log(failed.length === 0 ? `All passed in ${seconds} s.` : `FAILED after ${seconds} s: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** One step after the other; answers with the names of those that failed. */
async function runLane(steps) {
  const failures = [];
  for (const [name, args] of steps) {
    const { passed, output } = await run(args);
    console.log(`${passed ? 'ok    ' : 'FAILED'} ${name}`);
    if (passed) continue;
    console.log(output);
    failures.push(name);
  }
  return failures;
}

function run(args) {
  return new Promise((resolve) => {
    const env = childEnvironment({ NO_COLOR: '1', FLEET_SEEDS: process.env.FLEET_SEEDS ?? '40' });
    const child = spawn(node, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
    let output = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      output += text;
    });
    child.once('error', (error) => resolve({ passed: false, output: error.message }));
    child.once('exit', (code) => resolve({ passed: code === 0, output }));
  });
}
