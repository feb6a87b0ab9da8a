import { isDeepStrictEqual } from 'node:util';
import type { FlagValue } from '@raha/contract/admin/flags.ts';
import type { AllowedValues } from '@raha/contract/admin/setting-values.ts';
import type { SettingChange, SettingLine } from '@raha/contract/admin/settings.ts';
import * as z from 'zod/mini';
import type { listEntries } from '../modules/audit/audit.ts';
import type { Member } from '../modules/staff/list-members.ts';
import { tehranDay } from '../platform/clock.ts';
import { isOverdue } from '../platform/flag-rules.ts';
import { isFlag } from '../platform/flags.ts';
import type { Setting } from '../platform/settings.ts';
import { isOwned } from './flags.ts';
import { settingAreaOf, settingTexts } from './setting-texts.ts';

type Entry = Awaited<ReturnType<typeof listEntries>>[number];

/** A setting as the console shows it. A setting without a text is a bug, which a test finds. */
export function describeSetting(
  setting: Setting<unknown>,
  value: unknown,
  changed: SettingChange | undefined,
  seen: { readonly members: readonly Member[]; readonly now: Date },
): SettingLine {
  const { key, initial } = setting;
  const { fa, en } = textOf(key);
  const area = settingAreaOf[key] ?? settingAreaOf[key.slice(0, key.indexOf('.'))];
  if (!area) throw new Error(`no area for the setting ${key}`);
  return {
    ...{ key, area, about: { fa, en }, allowed: allowedOf(setting), value, initial },
    differs: !isDeepStrictEqual(value, initial),
    changed: changed ?? null,
    flag: isFlag(setting) ? describeFlag(value as FlagValue, seen) : null,
  };
}

function describeFlag(
  value: FlagValue,
  { members, now }: { readonly members: readonly Member[]; readonly now: Date },
): SettingLine['flag'] {
  const owner = members.find(({ userId }) => userId === value.owner);
  return {
    owner: owner?.email ?? null,
    is_owned: isOwned(value, members),
    is_overdue: isOverdue(value, tehranDay(now)),
  };
}

/** Entries of the audit about a setting have one field, whatever command made them. */
export function describeChange(entry: Entry, members: readonly Member[]): SettingChange {
  const [[before, after] = [null, null]] = Object.values(entry.changed as Record<string, readonly [unknown, unknown]>);
  const isMachine = entry.actor_kind === 'command-line';
  const member = isMachine ? undefined : members.find(({ userId }) => userId === entry.actor);
  return {
    ...{ number: Number(entry.number), at: entry.at.toISOString(), reason: entry.reason },
    ...{ by: member?.email ?? entry.actor, is_machine: isMachine },
    ...{ before: String(before), after: String(after), is_reset: entry.action === 'settings.reset' },
  };
}

/** The part of JSON Schema that schemas of settings use. */
interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly JsonSchema[];
}

/** Which values a setting takes: read from its schema, or from its text where the schema is more than a number or a choice. */
export function allowedOf(setting: Setting<unknown>): AllowedValues {
  const { key, schema } = setting;
  if (isFlag(setting)) return { kind: 'flag' };
  const shape = z.toJSONSchema(schema, { unrepresentable: 'any' }) as JsonSchema;
  const number = numberOf(shape);
  if (number) return { kind: 'number', ...number, or_auto: false };
  const [first, second] = shape.anyOf ?? [];
  const orAuto = first && second?.const === 'auto' ? numberOf(first) : undefined;
  if (orAuto) return { kind: 'number', ...orAuto, or_auto: true };
  if (shape.type === 'boolean') return { kind: 'switch' };
  if (shape.enum) return { kind: 'choice', words: [...shape.enum] };
  const sentence = textOf(key).allowed;
  if (!sentence) throw new Error(`nothing says which values the setting ${key} takes`);
  return { kind: shape.type === 'string' ? 'text' : 'json', sentence };
}

function numberOf({ type, minimum, maximum }: JsonSchema) {
  if ((type !== 'integer' && type !== 'number') || minimum === undefined || maximum === undefined) return undefined;
  return { is_whole: type === 'integer', least: minimum, most: maximum };
}

function textOf(key: string) {
  const text = settingTexts[key];
  if (!text) throw new Error(`no text for the setting ${key}`);
  return text;
}
