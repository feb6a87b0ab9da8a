import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readRunFile, replaceRunFile } from '../platform/run-files.ts';

/** What encrypts: the kernel, on an interface that the agent creates; or the daemon, on one that it creates itself. */
export type IpsecMode = 'kernel' | 'userspace';

/**
 * The files that strongSwan's daemon is started with, in memory (/run) and readable only by root. Keys and devices are not
 * in files: they are sent over the socket, and disappear with the process.
 */
export interface Ikev2Files {
  readonly configPath: string;
  readonly socketPath: string;
  readonly pidPath: string;
  readonly config: string;
  writeConfig(): void;
  /** Hash of the setup that the running daemon was given. */
  readSetup(): string | undefined;
  writeSetup(setup: string): void;
  readPid(): number | undefined;
  remove(): void;
}

export function ikev2Files(name: string, mode: IpsecMode, runDirectory = '/run/raha'): Ikev2Files {
  const home = join(runDirectory, name);
  const [configPath, socketPath] = [join(home, 'strongswan.conf'), join(home, 'vici')];
  const [pidPath, setupPath] = [join(home, 'pid'), join(home, 'setup')];
  const config = daemonConfig(socketPath, mode);
  return {
    configPath,
    socketPath,
    pidPath,
    config,
    writeConfig: () => {
      // Daemons of other protocols run as nobody and need to traverse it.
      mkdirSync(runDirectory, { recursive: true });
      chmodSync(runDirectory, 0o711);
      mkdirSync(home, { recursive: true, mode: 0o700 });
      chmodSync(home, 0o700);
      replaceRunFile(configPath, config);
      replaceRunFile(pidPath, '');
    },
    readSetup: () => readRunFile(setupPath),
    writeSetup: (setup) => replaceRunFile(setupPath, setup),
    readPid: () => Number(readRunFile(pidPath)) || undefined,
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Only what IKEv2 with EAP-MSCHAPv2 needs. MD4 and DES, which that method requires, are in `openssl`. */
const PLUGINS =
  'random nonce openssl drbg kdf pem pkcs1 pkcs8 x509 pubkey constraints socket-default vici eap-identity eap-mschapv2';

function daemonConfig(socketPath: string, mode: IpsecMode): string {
  // Of two plugins that can encrypt, the first does; the second is always needed for addresses and routes.
  const kernel = mode === 'kernel' ? 'kernel-netlink' : 'kernel-libipsec kernel-netlink';
  return [
    'charon {',
    '  load_modular = no',
    `  load = ${kernel} ${PLUGINS}`,
    // The interface's own address and route cover all devices.
    '  install_routes = no',
    '  install_virtual_ip = no',
    // Many devices may share one address behind carrier-grade NAT.
    '  block_threshold = 100',
    // An unresponsive device is dropped after about half a minute.
    '  retransmit_tries = 3',
    '  retransmit_timeout = 2.0',
    // No log: the daemon's messages contain addresses of devices.
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
