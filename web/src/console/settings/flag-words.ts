import type { FlagValue } from '@raha/contract/admin/flags.ts';
import { staffRoles } from '@raha/contract/admin/roles.ts';
import type { SettingLine } from '@raha/contract/admin/settings.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import { date, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { isolated } from '../people/words.ts';
import { readMoment, typedOf } from '../plans/moment.ts';
import { roleNames } from '../words.ts';

/** The value of a flag; undefined: it is one of another setting. */
export function asFlag(value: unknown): FlagValue | undefined {
  const isFlag =
    typeof value === 'object' && value !== null && 'percent' in value && 'owner' in value && 'until' in value;
  return isFlag ? (value as FlagValue) : undefined;
}

export function shareText({ percent }: FlagValue): string {
  if (percent === 100) return m.console_setting_on();
  return percent === 0 ? m.console_setting_off() : m.console_flag_percent({ percent: number(percent) });
}

/** `email`: of the member who looks after it, where it is known. */
export function ownerText({ owner }: FlagValue, email: string | null = null): string {
  const role = staffRoles.find((known) => known === owner);
  if (role) return roleNames[role]();
  return email === null ? m.console_flag_member() : isolated(email);
}

export function untilText({ until }: FlagValue): string {
  return date(noonOf(until));
}

/** «۱۰٪ کاربران؛ مسئول: مدیر؛ تا ۱۰ خرداد ۱۴۰۶» */
export function flagText(value: FlagValue, email?: string | null): string {
  const [share, owner] = [shareText(value), ownerText(value, email)];
  return m.console_flag_text({ share, owner, date: untilText(value) });
}

/** What is typed into the dialog of a flag. */
export interface FlagDraft {
  readonly share: 'on' | 'off' | 'some';
  readonly percent: string;
  readonly owner: string;
  /** The address of a member who was chosen. */
  readonly email: string | null;
  readonly day: string;
}

export function flagDraftOf({ value, flag }: SettingLine): FlagDraft | undefined {
  const { percent, owner, until } = asFlag(value) ?? {};
  if (percent === undefined || owner === undefined || until === undefined) return undefined;
  const share = percent === 100 ? 'on' : percent === 0 ? 'off' : 'some';
  const { day } = typedOf(Date.parse(noonOf(until)), currentLocale() === 'fa');
  return { share, percent: share === 'some' ? String(percent) : '10', owner, email: flag?.owner ?? null, day };
}

/** Undefined: the number is none from 1 to 99, or there is no such day. */
export function readFlagDraft({ share, percent: typed, owner, day }: FlagDraft): FlagValue | undefined {
  const percent = { on: 100, off: 0, some: parseAmount(typed) }[share];
  const until = readUntil(day);
  if (until === undefined || !(share !== 'some' || (percent >= 1 && percent <= 99))) return undefined;
  return { percent, owner, until };
}

/** A day as it is kept, 2027-05-31. */
export function readUntil(day: string): string | undefined {
  const noon = readMoment({ day, time: '12:00' });
  return noon?.toISOString().slice(0, 10);
}

const noonOf = (day: string) => `${day}T12:00:00+03:30`;
