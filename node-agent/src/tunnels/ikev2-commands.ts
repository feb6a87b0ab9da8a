import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { Ikev2Identity } from '../control/plan.ts';
import type { IpsecMode } from './ikev2-files.ts';
import type { Arguments } from './vici-message.ts';

/** Builds the VICI commands for strongSwan (swanctl.conf(5) explains their keys), without sending them. */
export type ViciCommand = readonly [name: string, values: Arguments];

export type Ikev2Settings = NonNullable<NodeSettings['ikev2']>;

/** Marks our policies, which the kernel then keeps to our interface. */
export const INTERFACE_ID = 0x72616861;
const USER_NAME = /^[0-9a-z]{8,40}$/;
const NT_HASH = /^[0-9a-f]{32}$/;
const DPD_SECONDS = 30;

/** Suites that the systems' built-in clients support, best first (RFC 9206 names the first two). */
const IKE_PROPOSALS = [
  'aes256gcm16-prfsha384-ecp384',
  'aes256gcm16-prfsha256-ecp256',
  'aes256-sha384-ecp384',
  'aes256-sha256-ecp256',
  'aes256-sha256-modp2048',
];
const ESP_PROPOSALS = ['aes256gcm16-ecp384', 'aes256gcm16-ecp256', 'aes256gcm16', 'aes256-sha256'];

/**
 * The identity-request connection. A client's identity is known only in the middle of the exchange (EAP-Identity); before
 * that some systems send their address. So all clients start at this connection, which requests the identity and lets
 * nobody in, because nobody is in its group. The daemon then switches to the connection of that identity. This one must be
 * loaded before the others.
 */
export function identityRequestConnection(settings: Ikev2Settings, mode: IpsecMode): Arguments {
  const remote = { auth: 'eap-mschapv2', id: '%any', eap_id: '%any', groups: ['nobody'] };
  return { 'identity-request': { ...connectionSection(settings, mode), remote } };
}

/** Pools of one address each, so that a device always has the same addresses, by which it is metered. */
export function deviceCommands(device: Ikev2Identity, settings: Ikev2Settings, mode: IpsecMode): ViciCommand[] {
  const { userName, ntHash, address4, address6 } = device;
  if (!USER_NAME.test(userName) || !NT_HASH.test(ntHash) || !isIPv4(address4) || !isIPv6(address6)) {
    throw new Error('this device cannot be let in: its name, secret or address is invalid');
  }
  const [pool4, pool6] = poolsOf(userName);
  const resolvers = settings.resolvers.filter((address) => isIP(address) > 0);
  const remote = { auth: 'eap-mschapv2', id: '%any', eap_id: userName };
  const connection = { ...connectionSection(settings, mode), pools: [pool4, pool6], remote };
  return [
    ['load-pool', { [pool4]: { addrs: `${address4}/32`, dns: resolvers.filter(isIPv4) } }],
    ['load-pool', { [pool6]: { addrs: `${address6}/128`, dns: resolvers.filter(isIPv6) } }],
    ['load-conn', { [connectionOf(userName)]: connection }],
    // Last: a device whose secret is listed must be ready to connect.
    ['load-shared', { id: userName, type: 'NTLM', data: Buffer.from(ntHash, 'hex'), owners: [userName] }],
  ];
}

/** The secret goes first, so that the device cannot reconnect while its connection is being ended. */
export function removalCommands(userName: string, isGraceful: boolean): ViciCommand[] {
  return [
    ['unload-shared', { id: userName }],
    ['unload-conn', { name: connectionOf(userName) }],
    terminateCommand(userName, isGraceful),
    ...poolsOf(userName).map((name): ViciCommand => ['unload-pool', { name }]),
  ];
}

/**
 * Graceful: the device is told until it answers or the daemon gives up. Otherwise it is told once and dropped. The command
 * waits in neither case.
 */
export function terminateCommand(userName: string, isGraceful: boolean): ViciCommand {
  return ['terminate', { ike: connectionOf(userName), force: isGraceful ? 'no' : 'yes', timeout: -1 }];
}

const PREFIX = 'device-';

function connectionOf(userName: string): string {
  return `${PREFIX}${userName}`;
}

/** Undefined for the identity-request connection. */
export function userNameOf(connection: string): string | undefined {
  return connection.startsWith(PREFIX) ? connection.slice(PREFIX.length) : undefined;
}

function poolsOf(userName: string): [string, string] {
  return [`${userName}-4`, `${userName}-6`];
}

function connectionSection(settings: Ikev2Settings, mode: IpsecMode) {
  const interfaceId = { if_id_in: INTERFACE_ID, if_id_out: INTERFACE_ID };
  return {
    version: 2,
    proposals: IKE_PROPOSALS,
    send_cert: 'always',
    // ESP within UDP passes every home router.
    encap: 'yes',
    dpd_delay: `${DPD_SECONDS}s`,
    // A device that connects again replaces its old connection.
    unique: 'replace',
    rekey_time: '4h',
    local: { auth: 'pubkey', certs: [settings.certificate], id: settings.serverName },
    children: {
      all: {
        local_ts: ['0.0.0.0/0', '::/0'],
        esp_proposals: ESP_PROPOSALS,
        rekey_time: '1h',
        ...(mode === 'kernel' ? interfaceId : {}),
      },
    },
  };
}

/** Every listed device was heard within this time: otherwise the daemon is probing it already. */
export const LONGEST_SILENCE_SECONDS = DPD_SECONDS;
