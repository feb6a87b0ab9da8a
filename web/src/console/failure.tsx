import { errorSentence } from '../api/error-sentence.ts';
import { m } from '../text/generated/messages.js';

/** Why a screen shows nothing, or nothing new, and the way to try again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className="c-failure" role="alert">
      <p>{errorSentence(error, m.console_failed())}</p>
      <button type="button" className="c-button" onClick={onRetry}>
        {m.console_retry()}
      </button>
    </div>
  );
}
