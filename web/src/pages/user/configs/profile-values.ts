/** What somebody enters by hand whose program takes no profile. */
export interface ProfileValues {
  readonly address: string;
  readonly identity: string;
  readonly userName: string;
  readonly password: string;
  /** PEM. */
  readonly certificate: string;
}

/** Out of the profile for Android, which is JSON of our own server's. */
export function readProfileValues(file: string): ProfileValues {
  const { remote, local } = JSON.parse(file) as {
    remote: { addr: string; id: string; cert: string };
    local: { eap_id: string; shared_secret: string };
  };
  const lines = remote.cert.match(/.{1,64}/g) ?? [];
  return {
    address: remote.addr,
    identity: remote.id,
    userName: local.eap_id,
    password: local.shared_secret,
    certificate: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}
