import { type AlertRule, type AlertSeverity, alertRules } from '@raha/contract/admin/alert-rules.ts';

/** What is wrong now, as the evaluation found it. */
export interface Cause {
  readonly rule: AlertRule;
  readonly cause: string;
  readonly figure: number | null;
  /** How long it has to stand before the alert opens; 0: at once. */
  readonly forSeconds: number;
}

/** An alert that waits or is open. */
export interface Standing {
  readonly id: string;
  readonly rule: string;
  readonly cause: string;
  readonly severity: AlertSeverity;
  readonly began_at: Date;
  readonly seen_at: Date;
  readonly opened_at: Date | null;
  readonly announced: boolean;
  readonly next_at: Date | null;
  readonly acknowledged_at: Date | null;
  readonly silenced_until: Date | null;
}

export type Step =
  /** The cause is there: a new row if `id` is undefined. */
  | { readonly kind: 'stand'; readonly id: string | undefined; readonly cause: Cause; readonly opens: boolean }
  /** It waited, and the cause is gone: nobody heard of it. */
  | { readonly kind: 'drop'; readonly id: string }
  | { readonly kind: 'close'; readonly id: string };

/** An alert closes when its cause was gone for this long, so that one that comes and goes is one alert. */
export const CLOSE_AFTER_SECONDS = 120;
/** One that is worth waking somebody up for is sent again until somebody takes it on. */
export const REMIND_SECONDS = 3_600;

export const keyOf = ({ rule, cause }: { readonly rule: string; readonly cause: string }) => `${rule} ${cause}`;

const since = (earlier: Date, now: Date) => (now.getTime() - earlier.getTime()) / 1_000;

/**
 * What becomes of the alerts of some rules when these causes are there. Alerts of other rules stay as they are: a server that
 * looks after the worker knows nothing of payments.
 */
export function decideSteps(
  standing: readonly Standing[],
  causes: readonly Cause[],
  now: Date,
  isJudged: (rule: string) => boolean,
): Step[] {
  const known = new Map(standing.map((alert) => [keyOf(alert), alert]));
  const there = new Set(causes.map(keyOf));
  const stand = causes.map((cause): Step => {
    const alert = known.get(keyOf(cause));
    const waited = alert ? since(alert.began_at, now) : 0;
    const opens = !alert?.opened_at && waited >= cause.forSeconds;
    return { kind: 'stand', id: alert?.id, cause, opens };
  });
  const gone = standing
    .filter((alert) => isJudged(alert.rule) && !there.has(keyOf(alert)))
    .flatMap((alert): Step[] => {
      if (!alert.opened_at) return [{ kind: 'drop', id: alert.id }];
      return since(alert.seen_at, now) >= CLOSE_AFTER_SECONDS ? [{ kind: 'close', id: alert.id }] : [];
    });
  return [...stand, ...gone];
}

/**
 * When the next message about an open alert is due. While its cause is silenced that is when the silence ends; after that, for
 * what is worth waking somebody up, an hour after the last message, until somebody takes it on.
 */
export function nextMessageAt(
  alert: Pick<Standing, 'severity' | 'acknowledged_at' | 'silenced_until'>,
  now: Date,
): Date | null {
  if (isSilenced(alert, now)) return alert.silenced_until;
  if (alert.severity !== 'page' || alert.acknowledged_at) return null;
  return new Date(now.getTime() + REMIND_SECONDS * 1_000);
}

export function isSilenced({ silenced_until }: Pick<Standing, 'silenced_until'>, now: Date): boolean {
  return silenced_until !== null && silenced_until > now;
}

export function severityOf(rule: AlertRule): AlertSeverity {
  return alertRules[rule].severity;
}

/** Seconds after each attempt until the next one; after the last one it is given up. About 28 hours in all. */
const BACKOFF_SECONDS = [10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200] as const;

/** Undefined: given up. `attempts` counts the one that is being made. */
export function nextAttemptAt(attempts: number, now: Date): Date | undefined {
  const seconds = BACKOFF_SECONDS[attempts - 1];
  return seconds === undefined ? undefined : new Date(now.getTime() + seconds * 1_000);
}

/** A channel is not working when its newest message with an outcome was given up, or has failed this often. */
export const FAILING_ATTEMPTS = 3;
