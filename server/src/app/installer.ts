import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { RELEASE_BASE, releaseFiles } from '@raha/contract/node/release.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Release } from '../modules/fleet/release.ts';
import { Refusal } from '../platform/refusal.ts';
import { findRelease } from './agent-release.ts';
import type { Deps } from './deps.ts';

/** What updates a machine that is set up: the installer's own copy, which trusts only the key that is pinned there. */
export const UPDATE_COMMAND = 'sh /opt/raha/install.sh';

/**
 * Serves what a new VPN server downloads: the signed release of the agent. All of it comes from this address, so that the
 * machine needs no other host except Debian's package mirrors; and nothing of it is believed without its signature.
 */
export function serveInstaller(app: FastifyInstance, deps: Deps): void {
  const sendFile = async (reply: FastifyReply, name: string) => {
    const found = findRelease(deps.config);
    if (!('release' in found)) throw new Refusal('unavailable');
    const { directory, manifest } = found.release;
    const isSigned = Object.hasOwn(manifest.files, name);
    if (!isSigned && name !== releaseFiles.manifest && name !== releaseFiles.signature) throw new Refusal('not_found');
    return reply
      .type('application/octet-stream')
      .header('cache-control', 'no-cache')
      .send(createReadStream(join(directory, name)));
  };
  app.get<{ Params: { name: string } }>(`${RELEASE_BASE}/:name`, (request, reply) =>
    sendFile(reply, request.params.name),
  );
  app.get('/node/install.sh', (_request, reply) => sendFile(reply, releaseFiles.installer));
  // Agents of before signed releases ask for it here, and check the hash in their settings.
  app.get('/node/raha-agent.mjs', (_request, reply) => sendFile(reply, releaseFiles.agent));
}

/**
 * The command that sets up a machine as a node. It pins what it trusts: the hash of the installer, the key that must have
 * signed the release, and the release itself as the oldest that is accepted. The token comes over standard input, because
 * everybody on a machine can read the arguments of its processes.
 */
export function installCommand(publicUrl: string, { manifest, publicKey }: Release, token: string): string {
  const script = 'install-raha.sh';
  const url = `${publicUrl}/node/install.sh`;
  return [
    `{ curl -fsSo ${script} ${url} || wget -qO ${script} ${url}; } &&`,
    `echo '${manifest.files[releaseFiles.installer]?.sha256}  ${script}' | sha256sum -c - &&`,
    `sh ${script} --control ${publicUrl} --key ${publicKey} --release ${manifest.release} --token-file - <<'TOKEN'`,
    token,
    'TOKEN',
  ].join('\n');
}
