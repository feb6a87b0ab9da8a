import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { shippedPackages } from './shipped-packages.mjs';

const root = join(import.meta.dirname, '..');
const read = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));

test('the archive has every package that server and contract run with, where Node finds it, and no tool', () => {
  const lock = read('package-lock.json');
  const shipped = shippedPackages(lock, ['contract', 'server']);
  const direct = ['server', 'contract'].flatMap((workspace) =>
    Object.keys(read(`${workspace}/package.json`).dependencies),
  );
  for (const name of direct.filter((one) => !one.startsWith('@raha/')))
    expect(shipped).toContain(`node_modules/${name}`);
  const tools = Object.keys(read('package.json').devDependencies).map((name) => `node_modules/${name}`);
  expect(shipped.filter((path) => tools.includes(path))).toEqual([]);
  const needed = (path: string) => Object.keys(lock.packages[path].dependencies ?? {});
  for (const path of shipped.filter((one) => existsSync(join(root, one)))) {
    const reachable = (name: string) =>
      shipped.some(
        (other) =>
          other.endsWith(`node_modules/${name}`) &&
          `${path}/`.startsWith(other.slice(0, -`node_modules/${name}`.length)),
      );
    expect(needed(path).filter((name) => !reachable(name))).toEqual([]);
  }
});
