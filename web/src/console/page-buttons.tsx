import { m } from '../text/generated/messages.js';

interface PageButtonsProps {
  /** Back to the first page; absent on it. */
  readonly onNewest?: (() => void) | undefined;
  /** Absent on the last page. */
  readonly onOlder?: (() => void) | undefined;
}

/** Below a list whose address holds the page. */
export function PageButtons({ onNewest, onOlder }: PageButtonsProps) {
  return (
    <div className="c-buttons c-pages">
      {onNewest ? (
        <button type="button" className="c-button" onClick={onNewest}>
          {m.console_audit_newest()}
        </button>
      ) : null}
      {onOlder ? (
        <button type="button" className="c-button" onClick={onOlder}>
          {m.console_audit_older()}
        </button>
      ) : null}
    </div>
  );
}
