import type { Log } from '../../platform/log.ts';

/** On whose behalf an operator's use case runs: the command line, or a member of staff at a console. */
export type Actor =
  | { readonly kind: 'command-line' }
  | {
      readonly kind: 'staff';
      readonly userId: string;
    };

export function describeActor(actor: Actor): string {
  return actor.kind === 'staff' ? `staff ${actor.userId}` : 'command line';
}

/** Logs what an operator changed, after it was done. `ids` name what was changed: no secrets and no addresses. */
export function logAction(
  { log }: { readonly log: Log },
  actor: Actor,
  action: string,
  ids: Readonly<Record<string, string | number | null | readonly string[]>> = {},
): void {
  log.info({ action, actor: describeActor(actor), ...ids }, 'operator action');
}
