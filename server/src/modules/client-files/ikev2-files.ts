import { derOf, type Ikev2Profile, stableId } from './ikev2-profile.ts';
import { windowsScript } from './windows-script.ts';

/** The media type of Apple profiles, plain text or signed. */
export const APPLE_PROFILE = 'application/x-apple-aspen-config';

/** Each system's built-in client has its own format. */
const forms = {
  apple: { extension: 'mobileconfig', type: APPLE_PROFILE, write: appleProfile },
  android: { extension: 'sswan', type: 'application/vnd.strongswan.profile; charset=utf-8', write: androidProfile },
  windows: { extension: 'ps1', type: 'text/plain; charset=utf-8', write: windowsScript },
} as const;
export type Ikev2System = keyof typeof forms;

export function ikev2File(profile: Ikev2Profile, system: Ikev2System) {
  const { extension, type, write } = forms[system];
  return { file: write(profile), extension, type };
}

/**
 * A profile of the strongSwan app for Android (docs.strongswan.org, os/androidVpnClientProfiles). Versions before 2.5
 * do not read the password from it and ask for it.
 */
function androidProfile(profile: Ikev2Profile): string {
  const { configId, name, endpointHost, serverName, certificateAuthority, userName, password } = profile;
  const content = {
    uuid: stableId(configId, 'android'),
    name: `Raha ${name}`,
    type: 'ikev2-eap',
    remote: {
      addr: endpointHost,
      id: serverName,
      cert: derOf(certificateAuthority),
      // The certificate authority publishes no revocation list: its node checks devices by name.
      revocation: { crl: false, ocsp: false },
    },
    local: { eap_id: userName, shared_secret: password },
    'ike-proposal': 'aes256gcm16-prfsha384-ecp384',
    'esp-proposal': 'aes256gcm16-ecp384',
    mtu: 1400,
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** A configuration profile for iOS and macOS (developer.apple.com, Device Management, VPN.IKEv2). */
function appleProfile(profile: Ikev2Profile): string {
  const { configId, certificateAuthority, certificateAuthorityName } = profile;
  const payload = (part: string, type: string, displayName: string) => ({
    PayloadType: type,
    PayloadVersion: 1,
    PayloadIdentifier: `raha.${configId}${part === 'profile' ? '' : `.${part}`}`,
    PayloadUUID: stableId(configId, part).toUpperCase(),
    PayloadDisplayName: displayName,
  });
  const displayName = `Raha ${profile.name}`;
  const root = {
    ...payload('profile', 'Configuration', displayName),
    PayloadOrganization: 'Raha',
    PayloadContent: [
      {
        ...payload('authority', 'com.apple.security.root', certificateAuthorityName),
        PayloadContent: { data: derOf(certificateAuthority) },
      },
      {
        ...payload('vpn', 'com.apple.vpn.managed', displayName),
        UserDefinedName: displayName,
        VPNType: 'IKEv2',
        IPv4: { OverridePrimary: 1 },
        IKEv2: ikev2Dictionary(profile),
      },
    ],
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    ...plist(root),
    '</plist>',
    '',
  ].join('\n');
}

function ikev2Dictionary(profile: Ikev2Profile): Plist {
  const suite = {
    EncryptionAlgorithm: 'AES-256-GCM',
    IntegrityAlgorithm: 'SHA2-384',
    DiffieHellmanGroup: 20,
  };
  return {
    RemoteAddress: profile.endpointHost,
    RemoteIdentifier: profile.serverName,
    LocalIdentifier: profile.userName,
    // The device authenticates by name and password, the node by its certificate.
    AuthenticationMethod: 'None',
    ExtendedAuthEnabled: 1,
    AuthName: profile.userName,
    AuthPassword: profile.password,
    ServerCertificateIssuerCommonName: profile.certificateAuthorityName,
    DeadPeerDetectionRate: 'Medium',
    EnablePFS: 1,
    IKESecurityAssociationParameters: { ...suite, LifeTimeInMinutes: 1440 },
    ChildSecurityAssociationParameters: { ...suite, LifeTimeInMinutes: 480 },
  };
}

/** `{ data }` is base64. */
type Plist = string | number | readonly Plist[] | { readonly data: string } | { readonly [key: string]: Plist };

function plist(value: Plist): string[] {
  if (typeof value === 'string') return [`<string>${escapeXml(value)}</string>`];
  if (typeof value === 'number') return [`<integer>${value}</integer>`];
  if (isList(value)) return ['<array>', ...value.flatMap(plist), '</array>'];
  if (isData(value)) return [`<data>${value.data}</data>`];
  const entries = Object.entries(value).flatMap(([key, inner]) => [`<key>${escapeXml(key)}</key>`, ...plist(inner)]);
  return ['<dict>', ...entries, '</dict>'];
}

function isList(value: Plist): value is readonly Plist[] {
  return Array.isArray(value);
}

function isData(value: object): value is { readonly data: string } {
  return 'data' in value && Object.keys(value).length === 1;
}

/** Characters that XML 1.0 cannot represent are dropped. */
function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}
