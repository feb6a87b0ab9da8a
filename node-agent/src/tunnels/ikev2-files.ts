import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readRunFile, replaceRunFile } from '../platform/run-files.ts';

/** Who encrypts: the kernel, on an interface that we make; or the daemon itself, on one that it makes. */
export type IpsecMode = 'kernel' | 'userspace';

/**
 * What strongSwan's daemon is started with, in memory (/run) and for root alone. Neither keys nor devices are in files:
 * they are told over the socket, and gone with the process.
 */
export interface Ikev2Files {
  readonly configPath: string;
  readonly socketPath: string;
  readonly pidPath: string;
  readonly config: string;
  writeConfig(): void;
  /** The name that the running daemon was started with, which stands for all it lives by. */
  readStarted(): string | undefined;
  writeStarted(name: string): void;
  readPid(): number | undefined;
  remove(): void;
}

export function ikev2Files(name: string, mode: IpsecMode, runDirectory = '/run/raha'): Ikev2Files {
  const home = join(runDirectory, name);
  const [configPath, socketPath] = [join(home, 'strongswan.conf'), join(home, 'vici')];
  const [pidPath, startedPath] = [join(home, 'pid'), join(home, 'started')];
  const config = daemonConfig(socketPath, mode);
  return {
    configPath,
    socketPath,
    pidPath,
    config,
    writeConfig: () => {
      // The daemons of other protocols pass through as nobody.
      mkdirSync(runDirectory, { recursive: true });
      chmodSync(runDirectory, 0o711);
      mkdirSync(home, { recursive: true, mode: 0o700 });
      chmodSync(home, 0o700);
      replaceRunFile(configPath, config);
      replaceRunFile(pidPath, '');
    },
    readStarted: () => readRunFile(startedPath),
    writeStarted: (started) => replaceRunFile(startedPath, started),
    readPid: () => Number(readRunFile(pidPath)) || undefined,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** What IKEv2 with EAP-MSCHAPv2 takes, and no more. MD4 and DES, which that method lives on, are in `openssl`. */
const PLUGINS =
  'random nonce openssl drbg kdf pem pkcs1 pkcs8 x509 pubkey constraints socket-default vici eap-identity eap-mschapv2';

function daemonConfig(socketPath: string, mode: IpsecMode): string {
  // Of two that both can, the first does it; the second is needed for addresses and routes in any case.
  const kernel = mode === 'kernel' ? 'kernel-netlink' : 'kernel-libipsec kernel-netlink';
  return [
    'charon {',
    '  load_modular = no',
    `  load = ${kernel} ${PLUGINS}`,
    // The interface's own address and route serve all devices.
    '  install_routes = no',
    '  install_virtual_ip = no',
    // Many devices may share one address behind their provider's translator.
    '  block_threshold = 100',
    // A device that does not answer is given up after about half a minute.
    '  retransmit_tries = 3',
    '  retransmit_timeout = 2.0',
    // Nothing is written down: what the daemon has to say holds addresses of devices.
    '  syslog {',
    '    daemon { default = -1 }',
    '    auth { default = -1 }',
    '  }',
    '  start-scripts { }',
    '  stop-scripts { }',
    '  plugins {',
    `    vici { socket = unix://${socketPath} }`,
    '    kernel-libipsec { allow_peer_ts = yes }',
    '  }',
    '}',
    '',
  ].join('\n');
}
