import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readLinkState } from '../src/platform/link.ts';
import { shell } from '../src/platform/shell.ts';
import { createIkev2Daemon } from '../src/tunnels/ikev2-daemon.ts';
import { ikev2Files } from '../src/tunnels/ikev2-files.ts';
import { createOpenvpnDaemon } from '../src/tunnels/openvpn-daemon.ts';
import { openvpnFiles } from '../src/tunnels/openvpn-files.ts';

/**
 * Starts a protocol's real daemon, and asks for it again after each of the things that can happen to it, each time like an
 * agent that has just started. Prints for every step whether the daemon was adopted and the state of its interface, and how
 * it was stopped. Run inside a namespace.
 */
const [protocol = '', directory = '', interfaceName = ''] = process.argv.slice(2);
const elapsedMs = () => performance.now();
const found: Record<string, string> = {};
const ip = (...words: string[]) => execFileSync('ip', words);

/** Stops a process and waits until each of its threads stands: on a busy machine one may go on answering for a while. */
async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  // The state follows the name, which is in brackets (proc_pid_stat(5)).
  const stateOf = (thread: string) => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').split(') ').at(-1)?.[0];
  while (readdirSync(`/proc/${pid}/task`).some((thread) => stateOf(thread) !== 'T')) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

if (protocol === 'ikev2') {
  const files = ikev2Files('ik', 'userspace', directory);
  const open = () =>
    createIkev2Daemon(shell, files, { mode: 'userspace', interfaceName: 'ipsec0', elapsedMs, onLost: () => {} });
  const step = async (what: string) => {
    const daemon = open();
    const { adopted } = await daemon.ensure('name');
    daemon.settle('name');
    found[what] = `${adopted ? 'adopted' : 'started'}, ${readLinkState('ipsec0')}`;
    daemon.disconnect();
  };
  try {
    await step('first');
    await step('again');
    await freeze(files.readPid() as number);
    await step('hangs');
    ip('link', 'del', 'ipsec0');
    await step('deleted');
  } finally {
    await open().stop();
  }
} else {
  const files = openvpnFiles(interfaceName, directory);
  const open = () => createOpenvpnDaemon(shell, files, { interfaceName, elapsedMs, onLost: () => {} });
  const read = (name: string) => readFileSync(join(directory, name), 'utf8');
  const openssl = (...words: string[]) => execFileSync('openssl', words, { cwd: directory, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'key', '-out', 'certificate', '-subj', '/CN=node', '-days', '1');
  execFileSync('openvpn', ['--genkey', 'tls-crypt-v2-server', join(directory, 'crypt')]);
  const [address4, address6] = ['10.65.0.1/16', 'fd72:6168:6101::1/64'];
  const keys = {
    certificateAuthority: read('certificate'),
    certificate: read('certificate'),
    tlsCryptKey: read('crypt'),
  };
  const settings = { port: 1194, address4, address6, resolvers: [], ...keys };
  const step = async (what: string) => {
    const daemon = open();
    const adopted = await daemon.ensure(files.writeServer(settings, read('key')));
    found[what] = `${adopted ? 'adopted' : 'started'}, ${readLinkState(interfaceName)}`;
    daemon.disconnect();
  };
  try {
    await step('first');
    await step('again');
    ip('link', 'set', interfaceName, 'down');
    await step('set down');
    ip('link', 'del', interfaceName);
    await step('deleted');
    const daemon = open();
    await daemon.ensure(files.writeServer(settings, read('key')));
    const signals: unknown[] = [];
    const kill = process.kill;
    process.kill = (pid, signal) => {
      signals.push(signal);
      return kill(pid, signal);
    };
    await daemon.stop();
    found.stopped = `signals: ${signals.join(' ') || 'none'}`;
  } finally {
    await open().stop();
  }
}
process.stdout.write(JSON.stringify(found));
process.exit();
