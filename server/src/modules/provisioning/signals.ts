import type { TraceAnswer, TraceQuestion } from '@raha/contract/node/trace.ts';
import { defineSignal } from '../../platform/bus.ts';

/** A question to a node, for the process at which its long poll waits. It is repeated until it is answered, and kept nowhere. */
export const traceAsked = defineSignal<{ readonly nodeId: string; readonly question: TraceQuestion }>('trace-asked');

/** `old_agent`: its poll did not say that it answers traces. */
export type HeardAnswer = TraceAnswer | { readonly kind: 'old_agent' };

/** What the node answered, for the process that asked. */
export const traceAnswered = defineSignal<{
  readonly nodeId: string;
  readonly id: string;
  readonly answer: HeardAnswer;
}>('trace-answered');
