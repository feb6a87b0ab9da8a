import type { AllowedValues } from '@raha/contract/admin/setting-values.ts';
import type { SettingArea, SettingLine } from '@raha/contract/admin/settings.ts';
import { foldDigits, foldLetters } from '@raha/contract/persian.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { isolated } from '../people/words.ts';
import { asFlag, type FlagDraft, flagDraftOf, flagText, readFlagDraft } from './flag-words.ts';

export const areaNames: Readonly<Record<SettingArea, () => string>> = {
  site: m.console_settings_site,
  accounts: m.console_settings_accounts,
  money: m.console_settings_money,
  staff: m.console_settings_staff,
  service: m.console_settings_service,
  messages: m.console_settings_messages,
  flags: m.console_settings_flags,
};

/** Of a list, in a line. */
const MOST = 4;

/**
 * A value in a line. What is long is counted: the setting's own page has the whole of it. `owner`: the address of a flag's owner,
 * where it is known.
 */
export function shortValue(value: unknown, owner?: string | null): string {
  const flag = asFlag(value);
  if (flag) return flagText(flag, owner);
  if (typeof value === 'boolean') return value ? m.console_setting_on() : m.console_setting_off();
  if (typeof value === 'number') return number(value);
  if (typeof value === 'string') return isolated(value);
  if (value === null) return m.console_audit_empty_value();
  const isLong = Array.isArray(value) && (value.length > MOST || value.some((item) => typeof item === 'object'));
  return isLong ? m.console_setting_items({ count: number(value.length) }) : isolated(JSON.stringify(value));
}

/** A value inside a sentence: of a flag, which has several parts, in quotes. */
export function quotedValue(value: unknown, owner?: string | null): string {
  const text = shortValue(value, owner);
  return asFlag(value) ? m.console_flag_quoted({ text }) : text;
}

/** A value of this setting as the audit has it: JSON, whole, or a word. */
export function storedValue(text: string, setting: SettingLine): string {
  try {
    const value: unknown = JSON.parse(text);
    const isOwnerKnown = asFlag(value)?.owner === asFlag(setting.value)?.owner;
    const isWhole = typeof value !== 'object' || value === null || asFlag(value) !== undefined;
    return isWhole ? quotedValue(value, isOwnerKnown ? setting.flag?.owner : null) : isolated(text);
  } catch {
    return isolated(text);
  }
}

/** Whether a line has the typed text: in its key, its description in the reader's language, or its value. */
export function isFound({ key, about, value }: SettingLine, typed: string): boolean {
  const fold = (text: string) => foldDigits(foldLetters(text)).toLowerCase();
  const texts = [key, about[currentLocale()], shortValue(value), JSON.stringify(value)];
  return texts.some((text) => fold(text).includes(fold(typed.trim())));
}

/** What is typed into the dialog before it is a value. */
export interface Draft {
  readonly text: string;
  readonly isOn: boolean;
  readonly isAuto: boolean;
  readonly flag?: FlagDraft | undefined;
}

export function draftOf(setting: SettingLine): Draft {
  const { allowed, value } = setting;
  const isAuto = allowed.kind === 'number' && value === 'auto';
  const text = allowed.kind === 'json' ? JSON.stringify(value, null, 2) : isAuto ? '' : String(value);
  return { text, isOn: value === true, isAuto, flag: allowed.kind === 'flag' ? flagDraftOf(setting) : undefined };
}

/** Undefined: what is typed is no value yet. The server says whether it is allowed. */
export function readDraft(
  allowed: AllowedValues,
  { text, isOn, isAuto, flag }: Draft,
): { readonly value: unknown } | undefined {
  switch (allowed.kind) {
    case 'switch':
      return { value: isOn };
    case 'number': {
      if (isAuto) return { value: 'auto' };
      const digits = foldDigits(text)
        .replace(/[\s٬,_]/g, '')
        .replace('٫', '.');
      return /^-?\d{1,15}(\.\d{1,6})?$/.test(digits) ? { value: Number(digits) } : undefined;
    }
    case 'flag': {
      const value = flag && readFlagDraft(flag);
      return value && { value };
    }
    case 'json':
      try {
        return { value: JSON.parse(text) };
      } catch {
        return undefined;
      }
    default:
      return { value: text.trim() };
  }
}
