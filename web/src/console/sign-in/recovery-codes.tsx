import { m } from '../../text/generated/messages.js';
import { Lead } from '../lead.tsx';

/** Shown this once. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  return (
    <>
      <Lead title={m.console_recovery_title()} text={m.console_recovery_text()} />
      <ul className="c-codes" dir="ltr">
        {codes.map((code) => (
          <li key={code} className="c-code">
            {code}
          </li>
        ))}
      </ul>
      <button type="button" className="c-button c-main" onClick={onKept}>
        {m.console_recovery_kept()}
      </button>
    </>
  );
}
