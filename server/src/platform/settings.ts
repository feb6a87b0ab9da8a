import { sql } from 'kysely';
import * as z from 'zod/mini';
import { type Bus, defineSignal, notifyChange } from './bus.ts';
import { type Executor, poolOf, type Tx } from './database.ts';

/**
 * A value that an operator may change at run time: its key, its schema, and its initial value. Each module declares its
 * own in `settings.ts`; `app/all-settings.ts` lists them for the command line.
 */
export interface Setting<T> {
  readonly key: string;
  readonly schema: z.ZodMiniType<T>;
  readonly initial: T;
}

export function defineSetting<T>(key: string, schema: z.ZodMiniType<T>, initial: NoInfer<T>): Setting<T> {
  return { key, schema, initial };
}

const settingChanged = defineSignal<null>('settings');

/** A lost signal is made up for after this long. */
const KEPT_MS = 5_000;

/** The settings that a process keeps in memory. A change of `generation` means that what is being read may be old. */
interface Kept {
  generation: number;
  values: ReadonlyMap<string, unknown> | undefined;
  /** What modules keep beside them. */
  readings: Map<KeptReading<unknown>, unknown>;
}

/** What a module keeps in rows of its own that change as rarely as settings do, and `announceKept` is called when they do. */
export interface KeptReading<T> {
  readonly read: (db: Executor) => Promise<T>;
}

/** By connection pool. Without an entry, settings are read from the database each time. */
const kept = new WeakMap<object, Kept>();
/** Transactions that changed a setting: they read their own change, which nobody else sees yet. */
const changing = new WeakSet<Executor>();

/**
 * Keeps the settings of a database in memory until one is changed by this process or, as a change signal says, by another
 * one; at most `keptMs` if the signal was lost. Returns what ends it.
 */
export function keepSettings(db: Executor, bus: Bus, keptMs = KEPT_MS): () => void {
  const own: Kept = { generation: 0, values: undefined, readings: new Map() };
  const forget = () => forgetValues(own);
  kept.set(poolOf(db), own);
  const ends = [bus.subscribe(settingChanged, forget), bus.onReconnect(forget)];
  const timer = setInterval(forget, keptMs).unref();
  return () => {
    clearInterval(timer);
    for (const end of ends) end();
    kept.delete(poolOf(db));
  };
}

export async function getSetting<T>(db: Executor, setting: Setting<T>): Promise<T> {
  const own = changing.has(db) ? undefined : kept.get(poolOf(db));
  if (!own) return await readSetting(db, setting);
  return parseValue(setting, own.values ?? (await readAll(db, own)));
}

/** As with a setting: from memory, and from the database in a transaction that has changed it. */
export async function getKept<T>(db: Executor, reading: KeptReading<T>): Promise<T> {
  const own = changing.has(db) ? undefined : kept.get(poolOf(db));
  if (!own) return await reading.read(db);
  if (own.readings.has(reading)) return own.readings.get(reading) as T;
  const { generation } = own;
  const value = await reading.read(db);
  if (own.generation === generation) own.readings.set(reading, value);
  return value;
}

/** Part of a transaction that changed what a reading reads: every process reads it anew. */
export async function announceKept(tx: Tx): Promise<void> {
  changing.add(tx);
  await sql`SELECT ${notifyChange(settingChanged, null)}`.execute(tx);
  const own = kept.get(poolOf(tx));
  if (own) forgetValues(own);
}

/** What the database says now, for values on which it depends which data can be read at all. */
export async function readSetting<T>(db: Executor, setting: Setting<T>): Promise<T> {
  const found = await sql<{ value: unknown }>`SELECT value FROM setting WHERE key = ${setting.key}`.execute(db);
  return parseValue(setting, new Map(found.rows.map(({ value }) => [setting.key, value])));
}

/** What the database says now of each of them, by key. */
export async function readSettings(db: Executor, settings: readonly Setting<unknown>[]): Promise<Map<string, unknown>> {
  const keys = settings.map(({ key }) => key);
  const found = await sql<{ key: string; value: unknown }>`
    SELECT key, value FROM setting WHERE key = ANY(${keys})
  `.execute(db);
  const values = new Map(found.rows.map(({ key, value }) => [key, value]));
  return new Map(settings.map((setting) => [setting.key, parseValue(setting, values)]));
}

/** Changes of this setting by operators wait until the transaction ends: what it read before stays true. */
export async function lockSetting(tx: Tx, key: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`setting:${key}`}, 0))`.execute(tx);
}

/** `text` is JSON, or a plain string. Throws a message for the operator when the value does not fit. */
export async function setSetting<T>(db: Executor, setting: Setting<T>, text: string, now: Date): Promise<T> {
  const parsed = parseSetting(setting.key, setting.schema, text);
  await storeSetting(db, setting, parsed, now);
  return parsed;
}

/** Part of a transaction: from its end on the setting has the value that the product begins with. */
export async function removeSetting(tx: Tx, key: string): Promise<void> {
  await sql`DELETE FROM setting WHERE key = ${key}`.execute(tx);
  await announceKept(tx);
}

/** `value` is one that its schema returned. */
export async function storeSetting<T>(db: Executor, { key }: Setting<T>, value: T, now: Date): Promise<void> {
  if (db.isTransaction) changing.add(db);
  // One statement, so that the signal is sent with the change whether or not there is a transaction around it.
  await sql`
    WITH changed AS (
      INSERT INTO setting (key, value, updated_at) VALUES (${key}, ${JSON.stringify(value)}::jsonb, ${now})
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at RETURNING key
    )
    SELECT ${notifyChange(settingChanged, null)} FROM changed
  `.execute(db);
  const own = kept.get(poolOf(db));
  if (own) forgetValues(own);
}

/** Throws a message for the operator when the text does not fit. */
export function parseSetting<T>(key: string, schema: z.ZodMiniType<T>, text: string): T {
  const parsed = z.safeParse(schema, readJson(text));
  if (!parsed.success) throw new Error(`"${text}" does not fit the setting ${key}.`);
  return parsed.data;
}

async function readAll(db: Executor, own: Kept): Promise<ReadonlyMap<string, unknown>> {
  const { generation } = own;
  const found = await sql<{ key: string; value: unknown }>`SELECT key, value FROM setting`.execute(db);
  const values = new Map(found.rows.map(({ key, value }) => [key, value]));
  if (own.generation === generation) own.values = values;
  return values;
}

function parseValue<T>({ key, schema, initial }: Setting<T>, values: ReadonlyMap<string, unknown>): T {
  return values.has(key) ? z.parse(schema, values.get(key)) : initial;
}

function forgetValues(own: Kept): void {
  own.generation += 1;
  own.values = undefined;
  own.readings.clear();
}

/** What an operator typed: JSON, or else the text itself. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
