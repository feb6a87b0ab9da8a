import type { BackOff } from '../platform/back-off.ts';
import { describeError, type Log } from '../platform/log.ts';
import { createSignal, type Signal } from '../platform/signal.ts';
import { Refused } from './api-client.ts';

/** The conversation with the control plane, and whether it is to go on. */
export interface ControlState {
  isStopping: boolean;
  /** The control plane has answered since this agent was started. */
  hasReachedControlPlane: boolean;
  /** Report now. */
  readonly reportSignal: Signal;
  /** Ask for the desired state now. */
  readonly pollSignal: Signal;
  /** Ends the long poll that is waiting. */
  polling: AbortController | undefined;
}

export function createControlState(): ControlState {
  return {
    isStopping: false,
    hasReachedControlPlane: false,
    reportSignal: createSignal(),
    pollSignal: createSignal(),
    polling: undefined,
  };
}

/** A long poll that was sent in an old epoch would be answered for the old one. */
export function announceEpoch(control: ControlState): void {
  control.polling?.abort();
  control.reportSignal.notify();
  control.pollSignal.notify();
}

const LASTING_RETRY_MS = 60_000;

/** Logs a failed call, and how long to wait before the next. After a lasting refusal the node goes on serving, and asks rarely. */
export function delayAfter(error: unknown, call: string, backOff: BackOff, log: Log): number {
  const isLasting = error instanceof Refused && error.isLasting;
  const delayMs = isLasting ? LASTING_RETRY_MS : backOff.nextDelayMs();
  log.warn('control_plane', { call, error: describeError(error), retryMs: Math.round(delayMs) });
  return delayMs;
}
