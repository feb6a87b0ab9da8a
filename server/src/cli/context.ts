import { userInfo } from 'node:os';
import { type MistakeKind, OperatorMistake } from '../modules/accounts/operator-mistake.ts';
import type { Actor, Audit } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import type { Database } from '../platform/database.ts';
import type { Log } from '../platform/log.ts';
import type { Vault } from '../platform/sealed.ts';

/** What every command of the operator's command line gets, and how it reads its flags. */
export interface Context {
  readonly db: Database;
  readonly databaseUrl: string;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly audit: Audit;
  /** Not for operators to read now: it never goes to the standard streams. */
  readonly log: Log;
  readonly config: Config;
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly positionals: readonly string[];
}

export interface Result {
  readonly data: unknown;
  readonly lines: readonly string[];
  /** The same for a spreadsheet, printed with `--csv`: a head and rows. */
  readonly table?: {
    readonly head: readonly string[];
    readonly rows: readonly (readonly (string | number | bigint)[])[];
  };
  readonly exitCode?: number;
}

export interface Command {
  readonly usage: string;
  /** Names of the flags it takes, each with a value; `--json` and `--csv` are everybody's. */
  readonly flags?: readonly string[];
  /** Flags without a value. */
  readonly switches?: readonly string[];
  run(context: Context): Promise<Result>;
}

/** A command that needs no database, and works on a machine that has none. */
export interface OfflineCommand extends Omit<Command, 'run'> {
  run(context: Pick<Context, 'flags' | 'positionals'>): Promise<Result>;
  readonly offline: true;
}

export type Commands = Readonly<Record<string, Command | OfflineCommand>>;

/** The command was not understood; the message is the sentence for the operator. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const actor: Actor = { kind: 'command-line', systemUser: userInfo().username };

/** The sentence for the operator; an input that does not fit is called by its flag. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof OperatorMistake) || error.field === undefined) return error.message;
  return `--${error.field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} ${error.message}`;
}

/** Ends the sentence of such a mistake with the flag that helps. */
export async function withHint<T>(kind: MistakeKind, hint: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorMistake) || error.kind !== kind) throw error;
    throw new UsageError(`${error.message.replace(/\.$/, '')}${hint}`);
  }
}

export function text(flags: Context['flags'], name: string): string {
  const value = flags[name];
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is needed.`);
  return value.trim();
}

export function wholeNumber(flags: Context['flags'], name: string, min: number, max: number): number {
  const value = Number(text(flags, name));
  if (!Number.isInteger(value) || value < min || value > max)
    throw new UsageError(`--${name} takes a whole number from ${min} to ${max}.`);
  return value;
}

/** The number of a payment, an account or the like, as the lists print it. */
export function idOf(flags: Context['flags'], name = 'id'): string {
  const id = text(flags, name);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw new UsageError(`--${name} takes the whole number.`);
  return id;
}

export function positiveNumber(flags: Context['flags'], name: string, max: number): number {
  const value = Number(text(flags, name));
  if (!(value > 0) || value > max) throw new UsageError(`--${name} takes a number above 0, at most ${max}.`);
  return value;
}

/** A day of the calendar, as it is written in ISO 8601. */
export function day(flags: Context['flags'], name: string, example: string): string {
  const value = text(flags, name);
  // February has no 31st: Date makes it March.
  const isDay = /^2\d{3}-\d\d-\d\d$/.test(value) && Number.isFinite(Date.parse(value));
  if (!isDay || new Date(value).toISOString().slice(0, 10) !== value)
    throw new UsageError(`--${name} takes a day such as ${example}.`);
  return value;
}

export function stringify(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
}

/**
 * Comma-separated values (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe in front (OWASP,
 * CSV injection): names are chosen by users.
 */
export function csv(rows: readonly (readonly (string | number | bigint)[])[]): string {
  const cell = (value: string | number | bigint) => {
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(',')).join('\n');
}
