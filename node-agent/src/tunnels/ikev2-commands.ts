import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { Ikev2Identity } from '../control/plan.ts';
import type { IpsecMode } from './ikev2-files.ts';
import type { Wish } from './vici-message.ts';

/** What strongSwan is told (swanctl.conf(5) has the words), without telling it. */
export type Ikev2Settings = NonNullable<NodeSettings['ikev2']>;

/** Marks the policies of ours, which the kernel then keeps to our interface. */
export const INTERFACE_ID = 0x72616861;
const USER_NAME = /^[0-9a-z]{8,40}$/;
const NT_HASH = /^[0-9a-f]{32}$/;
const DPD_SECONDS = 30;

/** Suites that the systems' own clients have, best first (RFC 9206 names the first two). */
const IKE_PROPOSALS = [
  'aes256gcm16-prfsha384-ecp384',
  'aes256gcm16-prfsha256-ecp256',
  'aes256-sha384-ecp384',
  'aes256-sha256-ecp256',
  'aes256-sha256-modp2048',
];
const ESP_PROPOSALS = ['aes256gcm16-ecp384', 'aes256gcm16-ecp256', 'aes256gcm16', 'aes256-sha256'];

/**
 * Who somebody is turns out in the middle of the exchange (EAP-Identity): what some systems say before is their address.
 * So all begin at this connection, which asks for the name and lets nobody in, since nobody is in its group; the daemon
 * then goes on to the connection of that name. It has to be loaded before the others.
 */
export function gateWish(settings: Ikev2Settings, mode: IpsecMode): Wish {
  const remote = { auth: 'eap-mschapv2', id: '%any', eap_id: '%any', groups: ['nobody'] };
  return { gate: { ...connectionWish(settings, mode), remote } };
}

/** Pools of one address each: a device always has the same ones, which its counters go by. */
export function deviceWishes(device: Ikev2Identity, settings: Ikev2Settings, mode: IpsecMode): [string, Wish][] {
  const { userName, ntHash, address4, address6 } = device;
  if (!USER_NAME.test(userName) || !NT_HASH.test(ntHash) || !isIPv4(address4) || !isIPv6(address6)) {
    throw new Error('this device cannot be let in: its name, secret or address is none');
  }
  const [pool4, pool6] = poolsOf(userName);
  const resolvers = settings.resolvers.filter((address) => isIP(address) > 0);
  const remote = { auth: 'eap-mschapv2', id: '%any', eap_id: userName };
  const connection = { ...connectionWish(settings, mode), pools: [pool4, pool6], remote };
  return [
    ['load-pool', { [pool4]: { addrs: `${address4}/32`, dns: resolvers.filter(isIPv4) } }],
    ['load-pool', { [pool6]: { addrs: `${address6}/128`, dns: resolvers.filter(isIPv6) } }],
    ['load-conn', { [connectionOf(userName)]: connection }],
    // Last: who is listed with a secret is served.
    ['load-shared', { id: userName, type: 'NTLM', data: Buffer.from(ntHash, 'hex'), owners: [userName] }],
  ];
}

/** The secret first, so that nobody comes in again while what is there is ended. */
export function dismissalWishes(userName: string, hasToHear: boolean): [string, Wish][] {
  const connection = connectionOf(userName);
  return [
    ['unload-shared', { id: userName }],
    ['unload-conn', { name: connection }],
    terminationWish(userName, hasToHear),
    ...poolsOf(userName).map((name): [string, Wish] => ['unload-pool', { name }]),
  ];
}

/**
 * The device is told once and forgotten, or, if it has to hear it, told until it answers or is given up. In either case
 * this does not wait for it.
 */
export function terminationWish(userName: string, hasToHear: boolean): [string, Wish] {
  return ['terminate', { ike: connectionOf(userName), force: hasToHear ? 'no' : 'yes', timeout: -1 }];
}

const PREFIX = 'device-';

function connectionOf(userName: string): string {
  return `${PREFIX}${userName}`;
}

/** Undefined for the gate. */
export function userNameOf(connection: string): string | undefined {
  return connection.startsWith(PREFIX) ? connection.slice(PREFIX.length) : undefined;
}

function poolsOf(userName: string): [string, string] {
  return [`${userName}-4`, `${userName}-6`];
}

function connectionWish(settings: Ikev2Settings, mode: IpsecMode) {
  const interfaceId = { if_id_in: INTERFACE_ID, if_id_out: INTERFACE_ID };
  return {
    version: 2,
    proposals: IKE_PROPOSALS,
    send_cert: 'always',
    // ESP within UDP passes every home's router.
    encap: 'yes',
    dpd_delay: `${DPD_SECONDS}s`,
    // A device that comes again takes the place of its former self.
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

/** The daemon has heard of a device that it lists no longer ago than this: otherwise it is asking already. */
export const LONGEST_SILENCE_SECONDS = DPD_SECONDS;
