import { m } from '../text/generated/messages.js';
import { Failure } from './failure.tsx';

interface Props {
  readonly of: { readonly data: unknown; readonly error: unknown; reload(): void };
  /** What an act on this screen came to; screens without acts leave it out. */
  readonly outcome?: string;
}

/** What stands above the content of a screen: what an act came to, why nothing new can be read, or that the first answer is on its way. */
export function Reading({ of: { data, error, reload }, outcome }: Props) {
  return (
    <>
      {outcome === undefined ? null : (
        <p className="c-outcome" role="status">
          {outcome}
        </p>
      )}
      {error ? <Failure error={error} onRetry={reload} /> : null}
      {data === undefined && !error ? <p className="c-waiting">{m.console_loading()}</p> : null}
    </>
  );
}
