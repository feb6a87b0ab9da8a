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
