import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { m } from '../../../text/generated/messages.js';

const link = 'font-semibold text-text-2 underline underline-offset-4 decoration-line-control hover:text-text';

/** Both documents are pages of the public site; they open beside the form, so that nothing typed is lost. */
export function LegalLinks() {
  return (
    <>
      <a href={paths.terms} target="_blank" rel="noreferrer" className={link}>
        {m.terms()}
      </a>
      {m.and()}
      <a href={paths.privacy} target="_blank" rel="noreferrer" className={link}>
        {m.privacy()}
      </a>
    </>
  );
}

export function Agreement() {
  return (
    <p className="mt-2 text-sm text-text-3">
      {m.agreement_start()} <LegalLinks /> {m.agreement_end()}
    </p>
  );
}
