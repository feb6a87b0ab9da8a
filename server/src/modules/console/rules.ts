import type { AccountStatus } from '@raha/contract/accounts.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { CutReason } from '@raha/contract/admin/people.ts';
import { cleanEmail, cleanPhone, foldDigits } from '@raha/contract/persian.ts';
import type { Config } from '@raha/contract/public/configs.ts';

/** What staff typed into the search, and what it may be. */
export interface Asked {
  /** A part of an address. */
  readonly part?: string;
  /** A part of a phone number. */
  readonly digits?: string;
  /** The first and the last id that begin so. */
  readonly ids?: readonly [string, string];
  /** As a bank may have given it. */
  readonly reference?: string;
}

/** Eight hexadecimal digits are the first group of an id; fewer are too many ids. */
const ID_DIGITS = 8;

/**
 * Reads what was typed: Persian digits, spaces and +98 are as good as Latin ones. `all`: nothing was typed. Undefined: too
 * short to find anybody by.
 */
export function readAsked(typed: string): Asked | 'all' | undefined {
  const part = cleanEmail(typed);
  if (part === '') return 'all';
  if (part.length < staffLimits.people.query.min) return undefined;
  const ids = idsBeginningWith(part);
  const digits = cleanPhone(typed).replace(/^(\+98|0098)/, '0');
  return {
    part,
    ...(/^\d{3,11}$/.test(digits) ? { digits } : {}),
    ...(ids ? { ids } : {}),
    reference: foldDigits(typed).trim(),
  };
}

function idsBeginningWith(text: string): readonly [string, string] | undefined {
  const hex = text.replaceAll('-', '');
  if (!/^[0-9a-f-]+$/.test(text) || hex.length < ID_DIGITS || hex.length > 32) return undefined;
  const full = (fill: string) => hex.padEnd(32, fill).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return [full('0'), full('f')];
}

/** The first letter, and the place where the mailbox is: enough to compare with what a caller says. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at);
  const last = local.length > 3 ? local.slice(-1) : '';
  return `${local.slice(0, 1)}•••${last}${email.slice(at)}`;
}

/** The network, and the last four digits. */
export function maskPhone(phone: string): string {
  return `${phone.slice(0, 4)}•••${phone.slice(-4)}`;
}

/**
 * Why a config lets nothing pass: what the panel tells its owner (`service`), but first what keeps the owner from seeing
 * it. A suspended account's configs are switched off, and not by their owner.
 */
export function cutOf(
  owner: { readonly status: AccountStatus; readonly hasService: boolean },
  service: Config['service'],
): CutReason | null {
  if (owner.status === 'suspended') return 'account_suspended';
  if (owner.status === 'deactivated' || owner.status === 'deleted') return 'account_closed';
  if (!owner.hasService) return 'not_activated';
  if (service === 'ok') return null;
  return service === 'disconnected' ? 'switched_off' : service;
}

/** A page that ends with an instant: as many as asked for, and all others of the last one. */
export function pageOf<T extends { readonly at: string }>(
  events: readonly T[],
  limit: number,
): { readonly events: T[]; readonly more: boolean } {
  const sorted = [...events].sort((a, b) => b.at.localeCompare(a.at));
  const last = sorted[limit - 1];
  const page = last === undefined ? sorted : sorted.filter(({ at }) => at >= last.at);
  return { events: page, more: sorted.length > page.length };
}
