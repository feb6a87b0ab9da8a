import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { Gift } from 'lucide-react';
import { Link } from '../routes/link.tsx';
import { m } from '../text/generated/messages.js';

/** Shown on screens that need an activated account; links to the activation page. */
export function ActivationBanner({ text }: { text: string }) {
  return (
    <section className="rounded-lg bg-spark-soft px-4 sm:px-5 py-4 mb-5 flex flex-wrap items-center gap-x-4 gap-y-3">
      <Gift className="size-6 shrink-0 text-spark-text" aria-hidden />
      <div className="flex-1 min-w-60">
        <h2 className="font-bold">{m.not_activated_title()}</h2>
        <p className="text-sm text-text-2">{text}</p>
      </div>
      <Link to={paths.activation} className="btn btn-ghost btn-sm">
        {m.activate_account()}
      </Link>
    </section>
  );
}
