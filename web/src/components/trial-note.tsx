import type { Trial } from '@raha/contract/public/trial.ts';
import { bytes, date } from '../text/format.ts';
import { m } from '../text/generated/messages.js';

/** What is left of the trial, or why there is none, in one sentence. */
export function trialSentence(trial: Trial): string {
  const limit = bytes(trial.limit_bytes);
  if (trial.ended === 'earlier') return m.trial_earlier();
  if (trial.ended === 'traffic') return m.trial_traffic_over({ limit });
  const until = date(trial.lastDay);
  if (trial.needsActivation) return m.trial_waits({ limit, date: until });
  return m.trial_left({ left: bytes(trial.limit_bytes - trial.used_bytes), limit, date: until });
}
