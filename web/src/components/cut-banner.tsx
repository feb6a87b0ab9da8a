import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { Link } from '../routes/link.tsx';
import { m } from '../text/generated/messages.js';

/** Over the screens that have no card of their own for it. */
export function CutBanner({ title, isActivated }: { title: string; isActivated: boolean }) {
  return (
    <section
      aria-label={title}
      className="rounded-lg bg-danger-soft ps-4 sm:ps-5 pe-2 py-2 mb-5 flex items-center justify-between gap-x-3"
    >
      <p className="flex items-center gap-2.5 py-2 max-sm:text-sm font-bold text-danger">
        <span aria-hidden className="size-2 shrink-0 rounded-full bg-current" />
        {title}
      </p>
      <Link
        to={isActivated ? paths.charge : paths.activation}
        className="btn btn-quiet btn-sm shrink-0 !text-danger underline underline-offset-4"
      >
        {isActivated ? m.charge() : m.activate_account()}
      </Link>
    </section>
  );
}
