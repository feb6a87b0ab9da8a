import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { MailWarning } from 'lucide-react';
import { Link } from '../routes/link.tsx';
import { m } from '../text/generated/messages.js';

/** Shown over every screen of the panel until the address is verified. */
export function VerifyBanner({ email }: { email: string }) {
  return (
    <section
      aria-labelledby="unverified"
      className="rounded-lg bg-spark-soft px-4 sm:px-5 py-4 mb-5 flex flex-wrap items-center gap-x-4 gap-y-3"
    >
      <MailWarning className="size-6 shrink-0 text-spark-text" aria-hidden />
      <div className="flex-1 min-w-60">
        <h2 id="unverified" className="font-bold">
          {m.unverified_title()}
        </h2>
        <p className="text-sm text-text-2">{m.unverified_text()}</p>
      </div>
      <Link to={paths.verifyEmail} state={{ email }} className="btn btn-ghost btn-sm">
        {m.verify_email()}
      </Link>
    </section>
  );
}
