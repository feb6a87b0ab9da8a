import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = 20;
/** The first Node that runs TypeScript as the product is written. */
const RUNTIME_NODE = 24;

/**
 * Makes node_modules agree with package-lock.json and answers with the path of the Node 24 that runs the product.
 * Everything it prints goes to standard error, so that a command's own output stays clean.
 */
export function ensureInstalled() {
  process.chdir(root);
  if (major(process.versions.node) < OLDEST_NODE) {
    fail(`Raha needs Node ${OLDEST_NODE} or newer to start; this is ${process.versions.node}.`);
  }
  const lock = readFileSync('package-lock.json', 'utf8');
  const hash = createHash('sha256').update(lock).digest('hex');
  const stampFile = join('node_modules', '.raha-lock-hash');
  if (readIfThere(stampFile) !== hash) {
    if (!agrees(JSON.parse(lock))) installAll();
    writeFileSync(stampFile, hash);
  }
  return findRuntime();
}

/**
 * Environment of a child: our own Node first, so that `#!/usr/bin/env node` finds it, and a directory in which Node keeps what it
 * compiled: a command of the operator's starts in half the time.
 */
export function childEnvironment(extra = {}) {
  return {
    NODE_COMPILE_CACHE: join(root, '.build', 'compile-cache'),
    ...process.env,
    PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`,
    ...extra,
  };
}

export function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}

function installAll() {
  console.error('Installing packages (npm ci) …');
  const [command, ...rest] = npmCommand('ci', '--include=dev', '--no-audit', '--no-fund');
  const { status } = spawnSync(command, rest, { cwd: root, stdio: ['ignore', 2, 2], env: withoutProduction() });
  if (status !== 0) fail('npm ci failed; see above.');
}

/** The npm that started us, or else the one of this machine. */
export function npmCommand(...args) {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? [process.execPath, npm, ...args] : ['npm', ...args];
}

/** With NODE_ENV=production npm leaves out what builds the web. */
function withoutProduction() {
  const { NODE_ENV: _, ...environment } = process.env;
  return environment;
}

/** Whether what npm last put into node_modules is what the lock file asks for. */
function agrees(lock) {
  const text = readIfThere(join('node_modules', '.package-lock.json'));
  if (!text) return false;
  const installed = JSON.parse(text).packages;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = installed[path];
    if (!found) return wanted.optional === true;
    return found.version === wanted.version;
  });
}

function findRuntime() {
  const own = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(own) && versionOf(own) >= RUNTIME_NODE) return own;
  if (major(process.versions.node) >= RUNTIME_NODE) return process.execPath;
  return fail(
    `Raha runs on Node ${RUNTIME_NODE}. It brings its own on Linux with glibc (x64, arm64); on this system please install Node ${RUNTIME_NODE} or newer and start again.`,
  );
}

function versionOf(path) {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return major((stdout ?? '').replace(/^v/, ''));
}

function major(version) {
  return Number(version.split('.')[0]) || 0;
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
