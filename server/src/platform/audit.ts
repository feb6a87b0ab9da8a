import type { Tx } from './database.ts';

/** On whose behalf an operator's use case runs: a user of the machine at the command line, or a member of staff at a console. */
export type Actor = { readonly kind: 'command-line'; readonly systemUser: string } | StaffActor;

export interface StaffActor {
  readonly kind: 'staff';
  readonly userId: string;
  /** Of a program that acts in the member's name. */
  readonly tokenId?: string;
}

export type AuditTarget =
  | 'user'
  | 'node'
  | 'relay'
  | 'payment'
  | 'refund'
  | 'batch'
  | 'plan'
  | 'price'
  | 'setting'
  | 'difference'
  | 'month'
  | 'staff'
  | 'alert'
  | 'token'
  | 'bulk'
  | 'approval';
type Value = string | number | boolean | null;

/** What an operator did. It holds ids only: no secrets, no codes, no addresses of people. */
export interface AuditAction {
  /** As the command is called, such as `nodes.drain`. */
  readonly action: string;
  readonly target?: { readonly kind: AuditTarget; readonly id: string } | undefined;
  /** Whose account or money it was about: this user sees it. */
  readonly userId?: string | undefined;
  /** Who decided it, where the command asks for a name. */
  readonly operator?: string | undefined;
  readonly reason?: string | undefined;
  readonly details?: Readonly<Record<string, Value>>;
  /** Values before and after. */
  readonly changed?: Readonly<Record<string, readonly [Value, Value]>>;
}

/** Each module's use cases record what an operator did through this port; the audit module keeps it. */
export interface Audit {
  /**
   * Part of the transaction of the effect: there is no effect without its entry, and no entry without an effect. Call it last,
   * because entries are written one after another, and the next one waits until this transaction ends.
   */
  record(tx: Tx, actor: Actor, action: AuditAction): Promise<void>;
}

export function describeActor(actor: Actor): string {
  return actor.kind === 'staff' ? `staff ${actor.userId}` : `command line, ${actor.systemUser}`;
}

/** The fields of `after` that differ from those of `before`, for `changed`. */
export function differences(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Record<string, readonly [Value, Value]> {
  const names = Object.keys(after).filter((name) => plainOf(before[name]) !== plainOf(after[name]));
  return Object.fromEntries(names.map((name) => [name, [plainOf(before[name]), plainOf(after[name])]]));
}

function plainOf(value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  return JSON.stringify(value);
}
