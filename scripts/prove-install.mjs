import { execFileSync, fork, spawn, spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { buildAgent } from './build.mjs';
import { ensureInstalled, root } from './install.mjs';
import { createLoad, signIn } from './prove-install-load.mjs';

/**
 * `node scripts/prove-install.mjs ARCHIVE`: installs a release in a fresh Debian 12 with a real systemd, and prints what happened: from the
 * archive to a sign-in over TLS, again, backup (the nightly one, too) and restore, an upgrade with a migration under load while a VPN server polls and reports, and back to an empty machine.
 *
 * As root on Debian, with debootstrap and systemd-container; needs ports 80, 443, 3001, 3002, 3010 and 5432 of this machine, whose network
 * the container shares. docs/installation.md has the output of a run.
 */
const archive = resolve(process.argv[2] ?? '');
if (!process.argv[2] || !existsSync(archive)) throw new Error('Which archive? npm run release makes one.');
/** Of a command that answers with data. */
const NOTHING = /(?!)/;
const REQUESTS = Number(process.env.PROOF_REQUESTS ?? 20_000);
const SMTP_PORT = 2525;
const SITE = 'raha.test';
const OPERATOR = 'dana@raha.example';
const UPGRADE = 'sh /opt/raha/current/deploy/upgrade.sh';
const work = mkdtempSync(join(tmpdir(), 'raha-proof-'));
const machine = join(work, 'debian');
const mails = join(work, 'mails.txt');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
let container;
let mailServer;
let vpnServer;

try {
  await prove();
} finally {
  mailServer?.kill();
  vpnServer?.kill();
  if (container) {
    container.kill('SIGTERM');
    await new Promise((done) => container.once('exit', done));
  }
  rmSync(work, { recursive: true, force: true });
}

async function prove() {
  execFileSync('debootstrap', [
    ...['--variant=minbase', '--include=systemd,systemd-sysv,dbus,ca-certificates,xz-utils', 'bookworm', machine],
  ]);
  // Nobody's DNS knows the site, and a minimal Debian knows not even itself.
  writeFileSync(join(machine, 'etc/hosts'), `127.0.0.1 localhost ${SITE}\n`);
  cpSync(archive, join(machine, 'root', basename(archive)));
  writeFileSync(
    join(machine, 'root/release.pub'),
    publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  );
  mailServer = spawn(process.execPath, [join(import.meta.dirname, 'prove-install-mail.mjs'), String(SMTP_PORT), mails]);
  const boot = ['--register=no', '--keep-unit', '--directory', machine, '--boot', '--machine', 'raha-proof'];
  container = spawn('systemd-nspawn', [...boot, '--resolv-conf=copy-host'], { stdio: 'ignore' });
  await until(() => inside('systemctl is-system-running').stdout.trim() === 'running', 60);
  print(
    `${inside('. /etc/os-release; echo "$PRETTY_NAME"').stdout.trim()}, ${inside('systemctl --version | head -1').stdout.trim()}`,
  );

  const name = basename(archive).replace(/\.tar\.xz$/, '');
  const install = `SMTP_URL=smtp://127.0.0.1:${SMTP_PORT} sh /root/${name}/deploy/install.sh --site ${SITE} --operator ${OPERATOR} --key /root/release.pub`;
  command('unpack', `tar -xf /root/${basename(archive)} -C /root`);
  command('install', install);
  const from = performance.now();
  const user = await signIn(SITE, 'user@raha.example', mails);
  if (user.status !== 200) throw new Error(`No sign-in: ${user.status}`);
  print(`sign-up and sign-in over TLS with the code of the mail: ${seconds(from)}`);
  const again = command('install again', install, /Nothing had to be changed|^Raha .* serves|^ok +mail/);
  if (!again.stdout.includes('Nothing had to be changed.')) throw new Error(`It changed something: ${again.stdout}`);
  for (const unit of ['raha-server@3001', 'raha-server@3002', 'raha-worker', 'caddy', 'postgresql@15-main'])
    print(inside(`systemd-analyze security --no-pager ${unit}.service | tail -1`).stdout.trim().slice(2));

  proveBackups();

  const next = makeNextRelease(name);
  await enrolVpnServer();
  const load = createLoad(SITE, user.token, REQUESTS);
  await load.warm();
  const upgraded = commandAsync(`${UPGRADE} ${next}`);
  await Promise.all([load.done, upgraded.done]);
  print(`upgrade with a migration: ${upgraded.seconds()}, ${upgraded.output().trim()}`);
  print(
    `meanwhile ${JSON.stringify(load.counts)}; failed: ${load.failures.length}${load.failures.slice(0, 3).map((one) => ` (${one})`)}`,
  );
  vpnServer.send('stop');
  const [{ polls, reports, failures }] = await once(vpnServer, 'message');
  print(
    `a VPN server meanwhile: ${polls} long polls, ${reports} reports; failed: ${failures.length}${failures.slice(0, 3).map((one) => ` (${one})`)}`,
  );
  print(
    `database: ${inside('setpriv --reuid raha --regid raha --init-groups psql -h /var/run/postgresql -Atc "SELECT count(*) FROM proof_of_upgrade" raha').stdout.trim()} row of the new migration`,
  );

  command('stop', "systemctl stop raha.target 'raha-server@*' raha-worker");
  inside(
    'setpriv --reuid postgres --regid postgres --init-groups sh -c "dropdb raha && createdb -O raha -T template0 -E UTF8 --locale=C.UTF-8 raha"',
  );
  command(
    'restore',
    'raha backup restore --from $(ls -d /var/lib/raha/backups/*) --to database --passphrase-file /var/lib/raha/p',
  );
  command('start', 'systemctl start raha.target');
  await until(() => inside('raha doctor').stdout.includes('Nobody can pay'), 30);
  print('doctor after the restore: Nobody can pay …');
  command('release', 'raha payments release --by dana --reason proof');
  command('uninstall', 'sh /opt/raha/current/deploy/uninstall.sh');
  print(
    `left: ${inside('ls -d /opt/raha /etc/raha /var/lib/raha /etc/systemd/system/raha* /usr/local/bin/raha 2> /dev/null').stdout.trim().split('\n').join(' ')}`,
  );
}

/** Offers the agent of this checkout, as docs/operations.md says, and enrols a VPN server that polls and reports from then on. */
async function enrolVpnServer() {
  const node = ensureInstalled();
  if (!buildAgent(node)) throw new Error('The agent could not be built.');
  const raha = (...words) =>
    execFileSync(node, ['server/src/cli.ts', ...words, '--json'], { cwd: root, encoding: 'utf8' });
  const { file, publicKey: agentKey } = JSON.parse(raha('release', 'key', '--out', join(work, 'agent-key')));
  raha('release', 'sign', '--key', file, '--out', join(machine, 'var/lib/raha/release'));
  appendFileSync(join(machine, 'etc/raha/raha.env'), `RELEASE_PUBLIC_KEY=${agentKey}\n`);
  const ready = '. /opt/raha/current/deploy/services.sh; wait_ready 3001; wait_ready 3002';
  command(
    'restart with a signed agent',
    `chown -R raha: /var/lib/raha/release; systemctl restart raha.target; ${ready}`,
  );
  const order = 'raha nodes add --name proof-1 --country DE --city Frankfurt --address 198.51.100.2 --json';
  const { token } = JSON.parse(command('add a VPN server', order, NOTHING).stdout);
  vpnServer = fork(join(import.meta.dirname, 'prove-install-node.mjs'), [SITE, token], { execPath: node });
  await once(vpnServer, 'message');
}

/** One by hand, which the restore takes later, and one as the timer makes it. */
function proveBackups() {
  inside('(umask 077; echo a passphrase of the proof > /var/lib/raha/p); chown raha /var/lib/raha/p');
  command('backup create', 'raha backup create --out /var/lib/raha/backups --passphrase-file /var/lib/raha/p');
  command(
    'backup verify',
    'raha backup verify --from $(ls -d /var/lib/raha/backups/*) --passphrase-file /var/lib/raha/p',
  );

  command('nightly backup in its sandbox', 'systemctl start raha-backup.service');
  print(
    inside(
      'journalctl --no-pager -o cat -u raha-backup | grep verified; systemctl is-enabled raha-backup.timer',
    ).stdout.trim(),
  );
}

/** The same release under another name, with a migration of its own. */
function makeNextRelease(name) {
  const from = join(machine, 'root', name);
  const to = join(machine, 'root', `${name}-next`);
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  writeFileSync(join(to, 'VERSION'), `${readFileSync(join(from, 'VERSION'), 'utf8').trim()}-next\n`);
  const migrations = join(to, 'server/migrations');
  const last = Math.max(...readdirSync(migrations).map((file) => Number(file.slice(0, 4))));
  const table =
    'CREATE TABLE proof_of_upgrade (at timestamptz NOT NULL);\nINSERT INTO proof_of_upgrade VALUES (now());\n';
  writeFileSync(join(migrations, `${String(last + 1).padStart(4, '0')}_proof.sql`), table);
  const packed = `${to}.tar`;
  execFileSync('tar', ['-cf', packed, '-C', join(machine, 'root'), basename(to)]);
  const sum = createHash('sha256').update(readFileSync(packed)).digest('hex');
  const sums = `${sum}  ${basename(packed)}\n`;
  writeFileSync(`${packed}.sha256`, sums);
  print(`upgrade to an archive that is not signed: ${inside(`${UPGRADE} /root/${basename(packed)}`).stderr.trim()}`);
  writeFileSync(`${packed}.sha256.sig`, sign(null, Buffer.from(sums), privateKey));
  return `/root/${basename(packed)}`;
}

function enter(line) {
  const init = spawnSync('pgrep', ['-P', String(container.pid)], { encoding: 'utf8' }).stdout.trim();
  const environment = [
    'env',
    '-i',
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'HOME=/root',
    'LANG=C.UTF-8',
  ];
  return [
    ['-t', init, '-m', '-u', '-i', '-p', '-C', '-r', '-w', '--', ...environment, 'sh', '-c', line],
    { encoding: 'utf8' },
  ];
}

function inside(line) {
  return spawnSync('nsenter', ...enter(line));
}

/** Runs a command that has to succeed and prints how long it took, and the lines of its output that fit. */
function command(what, line, shown = /^(Raha .* serves|ok +mail|The backup|The database|The ledger|The program)/) {
  const from = performance.now();
  const { status, stdout, stderr } = inside(line);
  if (status !== 0) throw new Error(`${what}: ${stdout}${stderr}`);
  print(`${what}: ${seconds(from)}`);
  for (const text of stdout.split('\n').filter((one) => shown.test(one))) print(`  ${text}`);
  return { stdout };
}

function commandAsync(line) {
  const from = performance.now();
  let output = '';
  let end = 0;
  const child = spawn('nsenter', ...enter(line));
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stderr.on('data', (text) => {
    output += text;
  });
  const done = new Promise((resolve, reject) =>
    child.once('close', (code) => {
      end = performance.now();
      return code === 0 ? resolve() : reject(new Error(output));
    }),
  );
  return {
    done,
    output: () => output.trim().split('\n').at(-1) ?? '',
    seconds: () => `${((end - from) / 1000).toFixed(1)} s`,
  };
}

async function until(isSo, most) {
  const end = performance.now() + most * 1000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error('It took too long.');
    await new Promise((done) => setTimeout(done, 250));
  }
}

function seconds(from) {
  return `${((performance.now() - from) / 1000).toFixed(1)} s`;
}

function print(line) {
  console.log(line);
}
