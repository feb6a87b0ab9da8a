import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAgent, buildWeb } from './build.mjs';
import { childEnvironment, ensureInstalled } from './install.mjs';
import { buildSbom } from './sbom.mjs';
import { ensureSystemPackages, testPackages } from './system-packages.mjs';

/**
 * `npm test`: installs what it needs, then every check of the house, the cheap ones first; stops at the first failure.
 * The last line says how many passed, failed and were skipped. With CI=true a skip is a failure.
 *
 * Arguments choose steps by the beginning of their names: `npm test -- unit flow`.
 */
const strict = process.env.CI === 'true';
const chosen = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };

const node = ensureInstalled();
const missing = process.platform === 'linux' ? ensureSystemPackages(testPackages, console.log) : [];
if (missing.length > 0) console.log('Tests that need them will be skipped.');

const steps = [
  // First: the web's generated messages and routes must be there before its types are checked.
  ['web build', () => count(buildWeb(node))],
  ['agent build', () => count(buildAgent(node))],
  ['sbom', () => count(buildSbom())],
  ['types', () => command('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json')],
  ['types of the journeys', () => command('node_modules/typescript/bin/tsc', '-p', 'e2e/tsconfig.json')],
  ['types of the web', () => command('node_modules/typescript/bin/tsc', '-p', 'web/tsconfig.json')],
  ['biome', () => command('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')],
  ['oxlint', () => command('node_modules/oxlint/bin/oxlint', '--deny-warnings')],
  ['walls', () => command(...depcruise)],
  ['budgets', () => command('web/scripts/check-budgets.mjs')],
  ['unit tests', () => vitest('unit')],
  ['flow tests', () => vitest('flow')],
  ['flow tests on Debian’s PostgreSQL', onDebian],
  ['kernel tests', () => vitest('kernel')],
  ['browser tests', () => vitest('browser')],
];
const depcruise = [
  'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
  ...['--config', '.dependency-cruiser.cjs', 'contract/src', 'server/src', 'node-agent/src', 'web/src'],
];

let failedStep;
for (const [name, run] of steps) {
  if (failedStep) break;
  if (chosen.length > 0 && !chosen.some((part) => name.startsWith(part))) continue;
  console.log(`\n━━ ${name} ${'━'.repeat(Math.max(0, 90 - name.length))}`);
  const start = performance.now();
  if (!run()) failedStep = name;
  console.log(`${name}: ${failedStep ? 'FAILED' : 'passed'} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

if (failedStep && total.failed === 0) total.failed = 1;
if (failedStep) console.log(`\nStopped at: ${failedStep}`);
if (total.skipped > 0) {
  console.log(`\n${total.skipped} tests were SKIPPED on this machine${strict ? ', which CI does not allow' : ''}.`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
process.exitCode = failedStep || (strict && total.skipped > 0) ? 1 : 0;

function command(program, ...args) {
  const { status } = spawnSync(node, [program, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: childEnvironment(),
  });
  return count(status === 0);
}

function count(passed) {
  if (passed) total.passed += 1;
  else total.failed += 1;
  return passed;
}

/** What an installation lives on, on the version of PostgreSQL that it has; all flow tests: `npm run test:postgres`. */
function onDebian() {
  if (process.getuid?.() === 0 && existsSync('/usr/lib/postgresql')) {
    const files = ['day-of-life', 'main-job', 'statement', 'people', 'payments', 'reports'];
    return command('scripts/test-postgres.mjs', ...files.map((name) => `server/test/flows/${name}.test.ts`));
  }
  console.log('It is not on this machine, or this is not root.');
  total.skipped += 1;
  return true;
}

function vitest(project) {
  const directory = mkdtempSync(join(tmpdir(), 'raha-results-'));
  const file = join(directory, 'results.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...reporters], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: childEnvironment(),
    });
    const result = JSON.parse(readFileSync(file, 'utf8'));
    total.passed += result.numPassedTests;
    total.failed += result.numFailedTests;
    total.skipped += result.numPendingTests + result.numTodoTests;
    return status === 0;
  } catch {
    return false;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
