import { mark } from '../gen/star.ts';
import { m } from '../text/generated/messages.js';
import { brandName } from '../text/site-values.ts';

export function Brand() {
  return (
    <span className="c-brand">
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={mark} fill="currentColor" />
        <circle cx="12" cy="12" r="3.1" className="c-spark" />
      </svg>
      {brandName()}
      <small>{m.console()}</small>
    </span>
  );
}

/** Beside a word that says the same: planned, look at it today, act now. What is as it should be has none. */
export function StateMark({ tone }: { tone: 'planned' | 'look' | 'act' }) {
  return (
    <svg viewBox="0 0 12 12" className="c-mark" data-tone={tone} aria-hidden="true">
      {tone === 'planned' ? (
        <rect x="2" y="2" width="8" height="8" fill="none" stroke="currentColor" strokeWidth="1.5" />
      ) : (
        <path d="M6 0 12 6 6 12 0 6Z" fill="currentColor" />
      )}
      {tone === 'act' ? <rect x="1.8" y="1.8" width="8.4" height="8.4" fill="currentColor" /> : null}
    </svg>
  );
}
