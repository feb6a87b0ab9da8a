import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childEnvironment } from './install.mjs';

const MADE = new Set(['node_modules', 'dist', 'generated', '.ssr', '.hash']);
const MADE_FILES = /\.gen\.ts$/;

/** Builds the web when its sources changed since the last build. True when it is up to date afterwards. */
export function buildWeb(node) {
  return buildWhenStale(node, 'web', ['web', 'contract/src', 'package-lock.json']);
}

/** Builds the node agent's one-file bundle, which operators copy to their VPN servers. */
export function buildAgent(node) {
  return buildWhenStale(node, 'node-agent', [
    'node-agent/src',
    'node-agent/build.mjs',
    'contract/src',
    'package-lock.json',
  ]);
}

function buildWhenStale(node, workspace, sources) {
  const stamp = join(workspace, 'dist', '.hash');
  const before = hashOf(sources);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === before) return true;
  console.error(`Building ${workspace} …`);
  const { status } = spawnSync(node, [join(workspace, 'build.mjs')], {
    stdio: ['ignore', 2, 2],
    env: childEnvironment({ NODE_ENV: 'production' }),
  });
  if (status !== 0) return false;
  mkdirSync(join(workspace, 'dist'), { recursive: true });
  writeFileSync(stamp, before);
  return true;
}

function hashOf(sources) {
  const hash = createHash('sha256');
  for (const path of sources.flatMap((source) => [...filesBelow(source)])) {
    hash.update(path).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

function* filesBelow(path) {
  if (!existsSync(path)) return;
  let entries;
  try {
    entries = readdirSync(path, { withFileTypes: true });
  } catch {
    yield path;
    return;
  }
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (MADE.has(entry.name) || MADE_FILES.test(entry.name)) continue;
    if (entry.isDirectory()) yield* filesBelow(join(path, entry.name));
    else if (entry.isFile()) yield join(path, entry.name);
  }
}
