import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { npmCommand, root } from './install.mjs';

export const sbomFile = join(root, '.build/sbom.cdx.json');

/**
 * Writes the CycloneDX list of what is shipped, when the lock file (or this file) changed: every package that the server, the agent and the
 * pages run with, with versions, licenses and hashes. Works offline, from node_modules. False if npm could not list it.
 *
 * npm's own `--omit dev` also leaves out what is shipped and is somebody's development dependency, too (zod); the lock file
 * knows the difference.
 */
export function buildSbom() {
  const lock = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const hash = createHash('sha256')
    .update(lock)
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .digest('hex');
  const stamp = `${sbomFile}.hash`;
  if (existsSync(sbomFile) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return true;
  const [command, ...args] = npmCommand('sbom', '--sbom-format', 'cyclonedx', '--offline');
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64_000_000, stdio: ['ignore', 'pipe', 2] };
  const { status, stdout } = spawnSync(command, args, options);
  if (status !== 0) return false;
  mkdirSync(join(root, '.build'), { recursive: true });
  writeFileSync(sbomFile, `${JSON.stringify(shippedOf(JSON.parse(stdout), JSON.parse(lock)), undefined, 2)}\n`);
  writeFileSync(stamp, hash);
  return true;
}

/** Without what only builds and tests the product. */
export function shippedOf(sbom, lock) {
  const shipped = new Set();
  for (const [path, { version, dev, link, resolved }] of Object.entries(lock.packages)) {
    const [, name] = /.*node_modules\/(.+)$/.exec(path) ?? [];
    const isTool = ['e2e', 'bench'].includes(resolved);
    if (name && !dev && !isTool) shipped.add(`${name}@${link ? lock.packages[resolved].version : version}`);
  }
  const components = sbom.components.filter((component) => shipped.has(component['bom-ref']));
  const listed = new Set([sbom.metadata.component['bom-ref'], ...components.map((component) => component['bom-ref'])]);
  const dependencies = sbom.dependencies
    .filter(({ ref }) => listed.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => listed.has(other)) }));
  // Without the moment, the number of this list and the name of the directory: the same packages give the same bytes.
  const { serialNumber: _number, metadata, ...rest } = sbom;
  const { timestamp: _moment, ...described } = metadata;
  described.component = { ...metadata.component, name: lock.name };
  return { ...rest, metadata: described, components, dependencies };
}
