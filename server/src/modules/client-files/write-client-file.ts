import type { Executor } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import {
  certificateAuthorityNameOf,
  readCertificateAuthority,
  readCertifiedNames,
} from '../fleet/certificate-authority.ts';
import { listEntryHosts } from '../fleet/entries.ts';
import { findNode, type Node } from '../fleet/nodes.ts';
import { OPENVPN_TCP_PORT, type ServedProtocol } from '../fleet/rules.ts';
import { type Ikev2System, ikev2File } from './ikev2-files.ts';
import { openPresharedKey } from './keys.ts';
import { openvpnFile } from './openvpn-file.ts';
import { clientFile } from './wireguard-file.ts';

/** The part of a stored config that a client file needs. */
export interface ClientConfig {
  readonly id: string;
  readonly node_id: string;
  readonly name: string;
  readonly protocol: ServedProtocol;
  readonly credential: string;
  readonly client_secret_sealed: string;
  readonly certificate: string | null;
  readonly slot: number;
}

export interface IssuedFile {
  readonly file: string;
  readonly filename: string;
  /** Media type. */
  readonly type: string;
}

interface Device {
  readonly config: ClientConfig;
  readonly node: Node;
  /** Where it finds its node: the first is dialled first. */
  readonly hosts: readonly [string, ...string[]];
  readonly privateKey: string;
}

interface FileDeps {
  readonly db: Executor;
  readonly vault: Vault;
}

/**
 * The file with which a device connects; `system` matters if each system's built-in client has its own format. Refuses
 * `server_offline` for a node that has never enrolled.
 */
export async function fileOf(
  deps: FileDeps,
  config: ClientConfig,
  privateKey: string,
  system: Ikev2System = 'apple',
): Promise<IssuedFile> {
  const node = await findNode(deps.db, config.node_id);
  if (!node?.address || !node.wireguard_public_key) throw new Refusal('server_offline');
  const hosts = await listEntryHosts(deps.db, { id: node.id, address: node.address }, config.id);
  const device = { config, node, hosts, privateKey };
  const { file, extension, type } = await write(deps, device, node.wireguard_public_key, system);
  return { file, type, filename: `${plainName(node, config)}.${extension}` };
}

const PLAIN_TEXT = 'text/plain; charset=utf-8';

async function write(
  deps: FileDeps,
  device: Device,
  serverPublicKey: string,
  system: Ikev2System,
): Promise<{ file: string; extension: string; type: string }> {
  const { config, node, hosts, privateKey } = device;
  switch (config.protocol) {
    case 'wireguard': {
      const presharedKey = openPresharedKey(deps.vault, config);
      const endpoint = { endpointHost: hosts[0], endpointPort: node.wireguard_port, serverPublicKey };
      const file = clientFile({ ...endpoint, privateKey, presharedKey, slot: config.slot });
      return { file, extension: 'conf', type: PLAIN_TEXT };
    }
    case 'openvpn':
      return { file: await openvpnFileOf(deps, device), extension: 'ovpn', type: PLAIN_TEXT };
    case 'ikev2':
      return await ikev2FileOf(deps, device, system);
  }
}

async function openvpnFileOf(deps: FileDeps, { config, node, hosts, privateKey }: Device): Promise<string> {
  const certificateAuthority = await readCertificateAuthority(deps.db, node.id);
  if (!certificateAuthority || !config.certificate) throw new Refusal('server_offline');
  return openvpnFile({
    hosts,
    endpointPort: node.openvpn_port,
    tcpPort: node.openvpn_tcp_website !== null && node.openvpn_tcp ? OPENVPN_TCP_PORT : undefined,
    serverName: node.id,
    certificateAuthority,
    certificate: config.certificate,
    privateKey,
    tlsCryptKey: openPresharedKey(deps.vault, config),
  });
}

async function ikev2FileOf(deps: FileDeps, device: Device, system: Ikev2System) {
  const { config, node, hosts, privateKey } = device;
  const certificateAuthority = await readCertificateAuthority(deps.db, node.id);
  if (!certificateAuthority) throw new Refusal('server_offline');
  const server = {
    endpointHost: system === 'windows' ? await certifiedHost(deps.db, node, hosts) : hosts[0],
    serverName: node.id,
    certificateAuthority,
    certificateAuthorityName: certificateAuthorityNameOf(node.id),
  };
  const names = { configId: config.id, name: config.name, plainName: plainName(node, config) };
  return ikev2File({ ...server, ...names, userName: config.credential, password: privateKey }, system);
}

/** Windows compares the host that it dials with the certificate, which gets the names of new relays within half a day. */
async function certifiedHost(
  db: Executor,
  { id, address }: Node,
  hosts: readonly [string, ...string[]],
): Promise<string> {
  const names = await readCertifiedNames(db, id, 'ikev2');
  return hosts.find((host) => names.includes(host)) ?? address ?? hosts[0];
}

/** A tunnel name that every client accepts: at most 15 of `[a-zA-Z0-9_=+.-]`. */
function plainName(node: Node, config: ClientConfig): string {
  return `raha-${node.country.toLowerCase()}-${config.id.slice(-4)}`;
}
