import type { TraceQuestion } from '@raha/contract/node/trace.ts';

/** Answers the control plane's questions about ports, one at a time. Neither a question nor an answer is logged or kept. */
export interface Tracer {
  /** Returns at once. A question that comes again while it is being answered is not asked twice. */
  take(question: TraceQuestion): void;
}
