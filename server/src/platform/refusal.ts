import type { Details, ErrorCode } from '@raha/contract/errors.ts';
import type { FieldError } from '@raha/contract/field-errors.ts';

/**
 * An expected refusal of a use case. Only the HTTP layer and the worker catch it; anything else that is thrown is a bug.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ErrorCode;
  readonly details: Details;
  readonly fields: Readonly<Record<string, FieldError>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    more: { details?: Details; fields?: Record<string, FieldError>; retryAfterSeconds?: number } = {},
  ) {
    super(code);
    this.code = code;
    this.details = more.details ?? {};
    this.fields = more.fields ?? {};
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}
