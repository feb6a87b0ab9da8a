import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';

/** Room for the boundaries and headers of a form around its one file. */
export const FORM_BYTES = 16 * 1024;

/** Forms with a file are read as a whole, up to the route's limit, and only if the route accepts one. */
export function acceptUploads(app: FastifyInstance): void {
  app.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, (request, body, done) => {
    if (!request.routeOptions.config.acceptsUpload) return done(new Refusal('unsupported_media_type'), undefined);
    return done(null, body);
  });
}

/** The file in a field of a form (RFC 7578); undefined when there is none. Refuses `malformed_body`. */
export async function readUpload(request: FastifyRequest, field: string): Promise<Buffer | undefined> {
  const type = request.headers['content-type'] ?? '';
  if (!Buffer.isBuffer(request.body)) throw new Refusal('unsupported_media_type');
  const form = await new Response(new Uint8Array(request.body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined);
  if (!form) throw new Refusal('malformed_body');
  const file = form.get(field);
  return file instanceof File ? Buffer.from(await file.arrayBuffer()) : undefined;
}

/** On a route that accepts a file, a body that is too large means that the file is too large. */
export function toUploadRefusal(refusal: Refusal | undefined, request: FastifyRequest): Refusal | undefined {
  const field = request.routeOptions.config.acceptsUpload;
  if (field === undefined || refusal?.code !== 'body_too_large') return refusal;
  return new Refusal('invalid_input', { fields: { [field]: 'file_too_large' } });
}
