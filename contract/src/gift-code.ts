import type { FieldError } from './field-errors.ts';
import { limits } from './limits.ts';
import { foldDigits } from './persian.ts';

/** Input rules of a gift card code (specification 2, section 5), shared by the form and the server. */

/** Spaces removed, upper case, only A-Z, 0-9 and hyphen kept. */
export function cleanGiftCode(text: string): string {
  return foldDigits(text)
    .toUpperCase()
    .replace(/[‐-―−]/g, '-')
    .replace(/[^A-Z0-9-]/g, '');
}

/** The error of a cleaned code, or undefined. */
export function giftCodeProblem(code: string): FieldError | undefined {
  const { minLength, maxLength, minLengthWithoutHyphen, fakes } = limits.giftCard;
  if (code === '') return 'gift_required';
  if (code.length < minLength || code.length > maxLength) return 'gift_length';
  if (!/^[A-Z0-9-]+$/.test(code)) return 'gift_characters';
  if ((fakes as readonly string[]).includes(code)) return 'gift_fake';
  if (!code.includes('-')) return code.length < minLengthWithoutHyphen ? 'gift_hyphen' : undefined;
  if (!/^[A-Z0-9]{2,8}(-[A-Z0-9]{2,8}){1,4}$/.test(code)) return 'gift_format';
  return undefined;
}
