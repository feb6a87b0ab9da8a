import { isDeepStrictEqual } from 'node:util';
import type { FlagValue } from '@raha/contract/admin/flags.ts';
import { sentenceOfAllowed } from '@raha/contract/admin/setting-values.ts';
import * as z from 'zod/mini';
import { OperatorMistake } from '../modules/accounts/operator-mistake.ts';
import { getCentsPerGb } from '../modules/pricing/price-versions.ts';
import { listMembers } from '../modules/staff/list-members.ts';
import { holdPermission } from '../modules/staff/standing.ts';
import type { Actor, Audit } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../platform/database.ts';
import { isFlag } from '../platform/flags.ts';
import { Refusal } from '../platform/refusal.ts';
import { lockSetting, readJson, readSetting, removeSetting, type Setting, storeSetting } from '../platform/settings.ts';
import { PRICE, setSettingByKey, settingOf } from './all-settings.ts';
import { allowedOf } from './describe-setting.ts';
import { isOwned } from './flags.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

interface Order {
  readonly actor: Actor;
  readonly key: string;
  readonly reason?: string;
  /** The value by which it was decided. Absent: whatever it is. */
  readonly expected?: { readonly value: unknown };
}

/**
 * An operator changes a setting: at the command line by a text, in the console by a value. Returns the stored value. Refuses
 * `forbidden`, `setting_changed`, `setting_value` and `flag_owner`; at the command line a value that does not fit is an operator's mistake.
 */
export async function changeSetting(
  deps: Deps,
  order: Order & ({ readonly text: string } | { readonly value: unknown }),
): Promise<unknown> {
  return await inTransaction(deps.db, async (tx) => {
    const before = await beginChange(tx, deps, order);
    const now = deps.clock.now();
    if (order.key === PRICE && 'text' in order) {
      const stored = await setSettingByKey(tx, PRICE, order.text, now);
      await record(tx, deps, order, 'settings.set', before, stored);
      return stored;
    }
    const setting = settingOf(order.key);
    const stored = parse(setting, order);
    if (isFlag(setting)) await refuseUnowned(tx, order.actor, stored as FlagValue);
    await storeSetting(tx, setting, stored, now);
    await record(tx, deps, order, 'settings.set', before, stored);
    return stored;
  });
}

/** Somebody has to look after a flag. */
async function refuseUnowned(tx: Tx, actor: Actor, value: FlagValue): Promise<void> {
  if (isOwned(value, await listMembers(tx))) return;
  if (actor.kind === 'staff') throw new Refusal('flag_owner');
  throw new OperatorMistake('invalid', 'The owner of a flag is a role, or somebody who works here.');
}

/** From now on the setting has the value that the product begins with, also when a later release begins with another one. */
export async function resetSetting(deps: Deps, order: Order): Promise<unknown> {
  return await inTransaction(deps.db, async (tx) => {
    if (order.key === PRICE) throw new OperatorMistake('invalid', 'The price has no initial value: set another one.');
    const before = await beginChange(tx, deps, order);
    const { key, initial } = settingOf(order.key);
    await removeSetting(tx, key);
    await record(tx, deps, order, 'settings.reset', before, initial);
    return initial;
  });
}

/** Holds the member and the setting until the transaction ends. Returns the value before. */
async function beginChange(tx: Tx, { clock }: Deps, { actor, key, expected }: Order): Promise<unknown> {
  if (actor.kind === 'staff') await holdPermission(tx, actor, 'settings.manage');
  await lockSetting(tx, key);
  const before = key === PRICE ? await getCentsPerGb(tx, clock.now()) : await readSetting(tx, settingOf(key));
  if (expected && !isDeepStrictEqual(before, expected.value)) throw new Refusal('setting_changed');
  return before;
}

function parse(setting: Setting<unknown>, given: { readonly text: string } | { readonly value: unknown }): unknown {
  const parsed = z.safeParse(setting.schema, 'text' in given ? readJson(given.text) : given.value);
  if (parsed.success) return parsed.data;
  const sentence = (locale: 'fa' | 'en') => sentenceOfAllowed(allowedOf(setting), locale);
  if (!('text' in given))
    throw new Refusal('setting_value', { details: { allowed: { fa: sentence('fa'), en: sentence('en') } } });
  throw new OperatorMistake('invalid', `"${given.text}" does not fit the setting ${setting.key}. ${sentence('en')}`);
}

async function record(
  tx: Tx,
  { audit }: Deps,
  { actor, key, reason }: Order,
  action: 'settings.set' | 'settings.reset',
  before: unknown,
  after: unknown,
): Promise<void> {
  const changed = { value: [JSON.stringify(before), JSON.stringify(after)] } as const;
  const target = { kind: 'setting', id: key } as const;
  if (action === 'settings.set') await audit.record(tx, actor, { action: 'settings.set', target, reason, changed });
  else await audit.record(tx, actor, { action: 'settings.reset', target, reason, changed });
}
