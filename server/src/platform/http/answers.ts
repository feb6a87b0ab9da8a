import { type ErrorCode, errors, sentenceOf } from '@raha/contract/errors.ts';
import { type FieldError, fieldErrors, isFieldError } from '@raha/contract/field-errors.ts';
import type { Locale } from '@raha/contract/locale.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../refusal.ts';

/** Persian unless the client's first language is English. */
export function localeOf(request: FastifyRequest): Locale {
  return /^en\b/i.test(request.headers['accept-language'] ?? '') ? 'en' : 'fa';
}

/** Sends `{ success: false, code, message, errors?, retry_after?, request_id }` with the refusal's status. */
export function sendRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  locale: Locale = localeOf(request),
): FastifyReply {
  request.refusedWith = refusal.code;
  const fields = Object.entries(refusal.fields);
  const first = fields[0]?.[1];
  // For a single invalid field, its own message is more specific than the general one.
  const message =
    refusal.code === 'invalid_input' && fields.length === 1 && first
      ? fieldErrors[first][locale]
      : sentenceOf(refusal.code, locale, refusal.details);
  if (refusal.retryAfterSeconds !== undefined) reply.header('retry-after', String(refusal.retryAfterSeconds));
  return reply
    .code(errors[refusal.code].status)
    .type('application/json; charset=utf-8')
    .send({
      success: false,
      code: refusal.code,
      message,
      ...(fields.length > 0
        ? { errors: Object.fromEntries(fields.map(([field, key]) => [field, fieldErrors[key][locale]])) }
        : {}),
      ...(refusal.retryAfterSeconds === undefined ? {} : { retry_after: refusal.retryAfterSeconds }),
      ...('rate' in refusal.details ? { rate: refusal.details.rate } : {}),
      request_id: request.id,
    });
}

/** Fastify's own errors about a request, as refusals. */
const frameworkCodes: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed_body',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'malformed_body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'malformed_body',
};

export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, statusCode, name } = error as { code?: string; statusCode?: number; name?: string };
  if (code && frameworkCodes[code]) return new Refusal(frameworkCodes[code]);
  if (name === 'SyntaxError' && statusCode === 400) return new Refusal('malformed_body');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new Refusal('malformed_body');
  return undefined;
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly keys?: readonly string[];
}

/** Schema issues as a refusal: the first problem of each field, by its message key. */
export function refusalOfIssues(issues: readonly Issue[]): Refusal {
  const fields: Record<string, FieldError> = {};
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys ?? []) fields[key.slice(0, 60)] ??= 'unknown_field';
      continue;
    }
    const field = issue.path.map(String).join('.') || 'body';
    fields[field] ??= isFieldError(issue.message) ? issue.message : 'invalid';
  }
  return new Refusal('invalid_input', { fields });
}
