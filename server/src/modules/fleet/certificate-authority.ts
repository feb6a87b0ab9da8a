import { createHash } from 'node:crypto';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { Bus } from '../../platform/bus.ts';
import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { newTlsCryptClientKey, newTlsCryptServerKey } from '../../platform/tls-crypt.ts';
import {
  type CertificateAuthorityRow,
  type CertificateRow,
  insertCertificateAuthority,
  selectCertificateAuthority,
  selectCertificateEnds,
  selectCertificates,
  selectCertifiedNames,
  upsertCertificate,
} from './certificate-authority-tables.ts';
import { selectNameOf } from './entry-tables.ts';
import { selectRelaysOf } from './relay-tables.ts';
import { isRenewalDue, nodeAddressesOf, openconnectOf, openvpnTcpOf, proxyOf, resolversOf } from './rules.ts';
import { nodeStateChanged } from './signals.ts';
import { type NodeRow, raiseGeneration } from './tables.ts';

/**
 * Certificates for nodes and devices. Every node has its own certificate authority, whose key is sealed in the
 * database: the node itself holds no signing key, and a device trusts only its own node.
 */
interface CertificateDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
}

const CERTIFICATE_AUTHORITY_DAYS = 7_300;
const SERVER_DAYS = 825;
const DEVICE_DAYS = 3_650;

/**
 * Loaded on demand: the X.509 library takes a quarter of a second to load, and few processes ever issue certificates.
 */
const certificates = () => import('../../platform/certificates.ts');

/** Protocols in which the node authenticates by a certificate, with the kind of key that their clients accept. */
const certified = { openvpn: 'ecdsa', ikev2: 'rsa' } as const;
export type CertifiedProtocol = keyof typeof certified;
/** OpenConnect has a second certificate of OpenVPN's key, so that new names end no session of OpenVPN. */
type Certificate = CertifiedProtocol | 'openconnect';

/**
 * Certifies a key that the node generated. Creates the certificate authority for the first one. A new key, a new
 * address or a certificate about to expire gives a new certificate, which reaches the node with its desired state.
 * Repeating it changes nothing. Refuses `invalid_input` for a key of the wrong kind.
 */
export async function certifyNode(
  deps: CertificateDeps & { readonly bus: Bus },
  node: CertifiedNode,
  { protocol, publicKey }: { readonly protocol: CertifiedProtocol; readonly publicKey: string },
): Promise<void> {
  await issueNodeCertificate(deps, node, { protocol, publicKey });
  if (protocol === 'openvpn') await certifyOpenconnect(deps, node);
}

type CertifiedNode = Pick<NodeRow, 'id' | 'address' | 'openconnect_port'>;

/** The same for OpenConnect, where the node serves it and has requested OpenVPN's certificate. */
export async function certifyOpenconnect(
  deps: CertificateDeps & { readonly bus: Bus },
  node: CertifiedNode,
): Promise<void> {
  if (node.openconnect_port === null) return;
  const openvpn = (await selectCertificates(deps.db, node.id)).find((row) => row.protocol === 'openvpn');
  if (openvpn) await issueNodeCertificate(deps, node, { protocol: 'openconnect', publicKey: openvpn.public_key });
}

async function issueNodeCertificate(
  deps: CertificateDeps & { readonly bus: Bus },
  node: CertifiedNode,
  { protocol, publicKey }: { readonly protocol: Certificate; readonly publicKey: string },
): Promise<void> {
  const now = deps.clock.now();
  const key = protocol === 'openconnect' ? 'ecdsa' : certified[protocol];
  const names = await namesOf(deps.db, node, protocol);
  const present = (await selectCertificates(deps.db, node.id)).find((row) => row.protocol === protocol);
  if (present?.public_key === publicKey && !isDue(present, names, now)) return;
  const { certify, createCertificateAuthority, isCertifiableKey } = await certificates();
  if (!(await isCertifiableKey(publicKey, key))) {
    throw new Refusal('invalid_input', { fields: { publicKey: 'invalid' } });
  }
  const known = await selectCertificateAuthority(deps.db, node.id);
  const certificateAuthority = known
    ? openCertificateAuthority(deps.vault, known)
    : await createCertificateAuthority(certificateAuthorityNameOf(node.id), now, CERTIFICATE_AUTHORITY_DAYS);
  const order = { commonName: node.id, publicKey, key, usage: 'server', days: SERVER_DAYS, names } as const;
  const certificate = await certify(certificateAuthority, order, now);
  await inTransaction(deps.db, async (tx) => {
    if (!known) {
      await insertCertificateAuthority(tx, {
        node_id: node.id,
        certificate: certificateAuthority.certificate,
        private_key_sealed: deps.vault.seal(certificateAuthority.privateKey, certificateAuthorityContext(node.id)),
        tls_crypt_key_sealed: deps.vault.seal(newTlsCryptServerKey(), tlsCryptContext(node.id)),
      });
    }
    const row = { node_id: node.id, protocol, public_key: publicKey, certificate, ends_at: addDays(now, SERVER_DAYS) };
    await upsertCertificate(tx, { ...row, names }, certificateAuthority.certificate);
    await raiseGeneration(tx, node.id);
    await deps.bus.announce(tx, nodeStateChanged, { nodeId: node.id });
  });
}

/** The common name in the certificate authority's own certificate. */
export function certificateAuthorityNameOf(nodeId: string): string {
  return `Raha ${nodeId}`;
}

/** IKEv2 and OpenConnect clients look for the address that they dialled (the node's or a relay's, or the name of its entries), or for the name in their profile. */
async function namesOf(db: Executor, node: CertifiedNode, protocol: Certificate): Promise<string[]> {
  if (protocol === 'openvpn') return [];
  const relays = await selectRelaysOf(db, node.id);
  const addresses = relays.flatMap(({ address4, address6 }) => [address4, address6]);
  const name = (await selectNameOf(db, node.id))?.name ?? null;
  return [node.id, ...[node.address, ...addresses, name].filter((host) => host !== null)];
}

/** The names in the certificate that a node has for a protocol. */
export async function readCertifiedNames(db: Executor, nodeId: string, protocol: string): Promise<readonly string[]> {
  return (await selectCertifiedNames(db, [nodeId], protocol)).get(nodeId) ?? [];
}

/** The same for OpenConnect at several nodes, by node. */
export async function listOpenconnectNames(
  db: Executor,
  nodeIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  return await selectCertifiedNames(db, nodeIds, 'openconnect');
}

function isDue(row: CertificateRow, names: readonly string[], now: Date): boolean {
  return isRenewalDue(row.ends_at, now) || names.join() !== row.names.join();
}

/** The credentials of one device at one node. */
export interface DeviceIdentity {
  readonly publicKey: string;
  readonly privateKey: string;
  readonly certificate: string;
  readonly tlsCryptKey: string;
}

/** Issues credentials for a device of this node. Undefined if the node has no certificate authority yet. */
export async function issueDeviceIdentity(deps: CertificateDeps, nodeId: string): Promise<DeviceIdentity | undefined> {
  const row = await selectCertificateAuthority(deps.db, nodeId);
  if (!row) return undefined;
  const now = deps.clock.now();
  const { certify, newCertificateKeys } = await certificates();
  const { publicKey, privateKey } = await newCertificateKeys();
  const order = { commonName: commonNameOf(publicKey), publicKey, key: 'ecdsa', usage: 'client' } as const;
  return {
    publicKey,
    privateKey,
    certificate: await certify(openCertificateAuthority(deps.vault, row), { ...order, days: DEVICE_DAYS }, now),
    tlsCryptKey: newTlsCryptClientKey(deps.vault.open(row.tls_crypt_key_sealed, tlsCryptContext(nodeId)), now),
  };
}

/** The common name in the certificate for a public key, by which the node recognises the device. */
export function commonNameOf(publicKey: string): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 32);
}

/** The certificate with which devices of this node verify it. */
export async function readCertificateAuthority(db: Executor, nodeId: string): Promise<string | undefined> {
  return (await selectCertificateAuthority(db, nodeId))?.certificate;
}

/**
 * The settings a node needs for protocols with certificates. Each is absent until the node has requested its
 * certificate.
 */
export async function readCertifiedSettings(
  deps: { readonly db: Executor; readonly vault: Vault },
  node: Pick<
    NodeRow,
    'id' | 'openvpn_port' | 'openvpn_tcp_website' | 'openconnect_port' | 'openconnect_udp' | 'proxy_url'
  >,
): Promise<Pick<NodeSettings, CertifiedProtocol>> {
  const row = await selectCertificateAuthority(deps.db, node.id);
  if (!row) return {};
  const all = await selectCertificates(deps.db, node.id);
  const settingsOf = (protocol: CertifiedProtocol) => {
    const certificate = all.find((one) => one.protocol === protocol)?.certificate;
    const common = {
      ...nodeAddressesOf(protocol),
      resolvers: resolversOf(protocol),
      certificateAuthority: row.certificate,
    };
    return certificate && { ...common, certificate };
  };
  const [openvpn, ikev2] = [settingsOf('openvpn'), settingsOf('ikev2')];
  const tcp = node.openvpn_tcp_website === null ? {} : { tcp: openvpnTcpOf(node.openvpn_tcp_website) };
  const openconnect = openconnectOf(node, all.find((one) => one.protocol === 'openconnect')?.certificate);
  const proxy = proxyOf(node);
  const more = { ...tcp, ...(openconnect ? { openconnect } : {}), ...(proxy ? { proxy } : {}) };
  const tlsCryptKey = deps.vault.open(row.tls_crypt_key_sealed, tlsCryptContext(node.id));
  return {
    ...(openvpn ? { openvpn: { ...openvpn, port: node.openvpn_port, tlsCryptKey, ...more } } : {}),
    ...(ikev2 ? { ikev2: { ...ikev2, serverName: node.id } } : {}),
  };
}

function openCertificateAuthority(vault: Vault, row: CertificateAuthorityRow) {
  return {
    certificate: row.certificate,
    privateKey: vault.open(row.private_key_sealed, certificateAuthorityContext(row.node_id)),
  };
}

export const certificateAuthorityContext = (nodeId: string) => `node_authority/private_key/${nodeId}`;
export const tlsCryptContext = (nodeId: string) => `node_authority/tls_crypt_key/${nodeId}`;

/** When the certificates of nodes expire, for nodes that have one. */
export async function listCertificateEnds(db: Executor): Promise<Map<string, Date>> {
  return await selectCertificateEnds(db);
}
