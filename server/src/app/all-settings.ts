import { OperatorMistake } from '../modules/accounts/operator-mistake.ts';
import * as accounts from '../modules/accounts/settings.ts';
import * as configs from '../modules/configs/settings.ts';
import * as currency from '../modules/currency/settings.ts';
import * as fleet from '../modules/fleet/settings.ts';
import * as giftCards from '../modules/gift-cards/settings.ts';
import * as invoices from '../modules/invoices/settings.ts';
import * as movement from '../modules/movement/settings.ts';
import * as notifications from '../modules/notifications/settings.ts';
import * as payments from '../modules/payments/settings.ts';
import { setPriceNow } from '../modules/pricing/change-price.ts';
import { centsPerGb, getCentsPerGb } from '../modules/pricing/price-versions.ts';
import * as provisioning from '../modules/provisioning/settings.ts';
import * as reach from '../modules/reach/settings.ts';
import * as settlements from '../modules/settlements/settings.ts';
import * as site from '../modules/site/settings.ts';
import * as staff from '../modules/staff/settings.ts';
import * as wallet from '../modules/wallet/settings.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../platform/database.ts';
import { getSetting, parseSetting, type Setting, setSetting } from '../platform/settings.ts';

const { gatewaySwitches, ...otherPayments } = payments;
const { claimSettings, ...otherSite } = site;

/** The price is kept as versions (decision 118); at the command line it is a setting like the others, which holds at once. */
export const PRICE = 'price.usdCentsPerGb';

/** Every other setting by its key. */
export const settings: ReadonlyMap<string, Setting<unknown>> = new Map(
  [
    ...Object.values(claimSettings),
    ...Object.values(otherSite),
    ...Object.values(accounts),
    ...Object.values(currency),
    ...Object.values(gatewaySwitches),
    ...Object.values(otherPayments),
    ...Object.values(invoices),
    ...Object.values(settlements),
    ...Object.values(fleet),
    ...Object.values(configs),
    ...Object.values(provisioning),
    ...Object.values(reach),
    ...Object.values(movement),
    ...Object.values(notifications),
    ...Object.values(staff),
    ...Object.values(giftCards),
    ...Object.values(wallet),
  ].map((setting) => [setting.key, setting as Setting<unknown>]),
);

export const settingKeys: readonly string[] = [...settings.keys(), PRICE];

export async function readSettingByKey(db: Executor, key: string, now: Date): Promise<unknown> {
  return key === PRICE ? await getCentsPerGb(db, now) : await getSetting(db, settingOf(key));
}

/** All settings, or one of them, by their keys. */
export async function readSettings(db: Executor, now: Date, key?: string): Promise<Record<string, unknown>> {
  if (key !== undefined && !settingKeys.includes(key))
    throw new OperatorMistake('not-found', `There is no setting "${key}".`);
  const keys = key === undefined ? settingKeys : [key];
  return Object.fromEntries(await Promise.all(keys.map(async (name) => [name, await readSettingByKey(db, name, now)])));
}

/** Throws a message for the operator when there is no such setting or the value does not fit. */
export async function setSettingByKey(db: Executor, key: string, text: string, now: Date): Promise<unknown> {
  if (key !== PRICE) return await setSetting(db, settingOf(key), text, now);
  const parsed = parseSetting(PRICE, centsPerGb, text);
  if (db.isTransaction) await setPriceNow(db as Tx, parsed, now);
  else await inTransaction(db as Database, (tx) => setPriceNow(tx, parsed, now));
  return parsed;
}

export function settingOf(key: string): Setting<unknown> {
  const setting = settings.get(key);
  if (!setting) {
    const sentence = `There is no setting "${key}". Settings: ${settingKeys.join(', ')}.`;
    throw new OperatorMistake('not-found', sentence);
  }
  return setting;
}
