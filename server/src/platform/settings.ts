import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { Executor } from './database.ts';

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

export async function getSetting<T>(db: Executor, { key, schema, initial }: Setting<T>): Promise<T> {
  const found = await sql<{ value: unknown }>`SELECT value FROM setting WHERE key = ${key}`.execute(db);
  const row = found.rows[0];
  return row ? z.parse(schema, row.value) : initial;
}

/** `text` is JSON, or a plain string. Throws a message for the operator when the value does not fit. */
export async function setSetting<T>(db: Executor, { key, schema }: Setting<T>, text: string, now: Date): Promise<T> {
  const parsed = z.safeParse(schema, readJson(text));
  if (!parsed.success) throw new Error(`"${text}" does not fit the setting ${key}.`);
  await sql`
    INSERT INTO setting (key, value, updated_at) VALUES (${key}, ${JSON.stringify(parsed.data)}::jsonb, ${now})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
  `.execute(db);
  return parsed.data;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
