import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildSbom, sbomFile, shippedOf } from './sbom.mjs';

const root = join(import.meta.dirname, '..');
const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

test('the list of shipped packages has each dependency of server, agent and pages, and no tool', () => {
  expect(buildSbom()).toBe(true);
  const sbom = read(sbomFile) as {
    bomFormat: string;
    components: { name: string; version: string; purl: string; 'bom-ref': string; hashes?: unknown[] }[];
  };
  expect(sbom.bomFormat).toBe('CycloneDX');
  const listed = new Set(sbom.components.map((component) => component['bom-ref']));
  const direct = ['server', 'node-agent', 'contract', 'web'].flatMap((workspace) =>
    Object.entries(read(join(root, workspace, 'package.json')).dependencies as Record<string, string>),
  );
  expect(direct.filter(([name, version]) => !listed.has(`${name}@${version}`))).toEqual([]);
  // The runtime that VPN servers get.
  expect([...listed]).toContainEqual(expect.stringMatching(/^node-linux-(x64|arm64)@/));
  const tools = Object.keys(read(join(root, 'package.json')).devDependencies);
  expect(tools.filter((tool) => [...listed].some((ref) => ref.startsWith(`${tool}@`)))).toEqual([]);
  const foreign = sbom.components.filter(({ purl }) => !purl.startsWith('pkg:npm/%40raha/'));
  expect(foreign.filter(({ hashes }) => !hashes?.length).map(({ name }) => name)).toEqual([]);
});

test('the same packages give the same list, whenever and in whatever directory it is made', () => {
  const lock = { name: 'raha', packages: {} };
  const made = (serialNumber: string, timestamp: string, name: string) => {
    const metadata = { timestamp, component: { 'bom-ref': 'raha@1', name } };
    return shippedOf({ serialNumber, metadata, components: [], dependencies: [] }, lock);
  };
  const list = made('urn:uuid:1', '2026-11-20T00:00:00Z', 'clone');
  expect(list).toEqual(made('urn:uuid:2', '2026-11-21T00:00:00Z', 'raha'));
  expect(list).toMatchObject({ metadata: { component: { name: 'raha' } } });
});
