import type { Recommendation } from '@raha/contract/public/dashboard.ts';
import { Khatam } from '../../../components/logo.tsx';
import { knownPath } from '../../../routes/addresses.ts';
import { Link } from '../../../routes/link.tsx';
import { m } from '../../../text/generated/messages.js';

const actions: Record<Recommendation['kind'], () => string> = {
  activate: m.activate_account,
  top_up: m.charge_wallet,
  create_config: m.new_config,
  change_server: m.nav_configs,
  renew_plan: m.plan_renew,
  connect_device: m.file_and_qr,
};

/** ARIA says what is worth doing next; silent when all is well. */
export function AdviceList({ advice }: { readonly advice: readonly Recommendation[] }) {
  if (advice.length === 0) return null;
  return (
    <section aria-label={m.advice()} className="grid gap-3 mb-4 sm:mb-5">
      {advice.map(({ kind, message, href }) => (
        <div key={kind} className="card flex flex-wrap items-center gap-x-4 gap-y-3 p-4">
          <span className="grid place-items-center size-10 shrink-0 rounded-sm bg-spark-soft text-spark">
            <Khatam className="size-5" />
          </span>
          <p className="flex-1 min-w-[min(16rem,100%)] font-medium">{message}</p>
          <Link to={knownPath(href)} className="btn btn-ghost btn-sm max-sm:w-full">
            {actions[kind]()}
          </Link>
        </div>
      ))}
    </section>
  );
}
