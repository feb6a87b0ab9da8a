import type { ProfileSystem } from '@raha/contract/public/configs.ts';
import type { FastifyReply } from 'fastify';
import { renderSVG } from 'uqr';
import { Refusal } from '../../platform/refusal.ts';
import { APPLE_PROFILE } from '../client-files/ikev2-files.ts';
import { openPrivateKey } from '../client-files/keys.ts';
import { fileOf } from '../client-files/write-client-file.ts';
import type { ConfigDeps } from './create-config.ts';
import type { ConfigRow } from './tables.ts';

export interface FileOrder {
  readonly system?: ProfileSystem | undefined;
  readonly asQr?: boolean;
}

export interface KeptFile {
  readonly content: string | Buffer;
  readonly filename: string;
  readonly type: string;
}

/**
 * The file of a config whose key the server keeps, signed where the system shows by whom; or its QR code. Refuses
 * `private_key_on_device`, and `not_found` for a QR code of anything but WireGuard: a certificate does not fit into one.
 */
export async function keptFile(deps: ConfigDeps, config: ConfigRow, { system, asQr }: FileOrder): Promise<KeptFile> {
  if (asQr && config.protocol !== 'wireguard') throw new Refusal('not_found');
  const privateKey = openPrivateKey(deps.vault, config);
  if (!privateKey) throw new Refusal('private_key_on_device');
  const { file, filename, type } = await fileOf(deps, config, privateKey, system);
  if (asQr) {
    const content = renderSVG(file, { ecc: 'L', border: 2 });
    return { content, filename: filename.replace('.conf', '.svg'), type: 'image/svg+xml' };
  }
  const isSigned = type === APPLE_PROFILE && deps.signProfile !== undefined;
  return { content: isSigned ? deps.signProfile(Buffer.from(file)) : file, filename, type };
}

export function sendFile(reply: FastifyReply, { content, filename, type }: KeptFile): FastifyReply {
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${filename}"`)
    .header('cache-control', 'no-store')
    .send(content);
}
