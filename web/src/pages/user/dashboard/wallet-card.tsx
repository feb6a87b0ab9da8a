import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { History, Plus } from 'lucide-react';
import { Link } from '../../../routes/link.tsx';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

/** Quiet where another button on the screen charges. */
export function WalletCard({ balance, isQuiet }: { balance: number; isQuiet: boolean }) {
  return (
    <section aria-labelledby="dashboard-wallet" className="panel p-5 sm:p-6 flex flex-col">
      <h2 id="dashboard-wallet" className="text-base font-bold">
        {m.balance()}
      </h2>
      <p className="text-3xl font-black mt-1" data-testid="dashboard-balance">
        {number(balance)} <span className="text-base font-semibold text-text-3">{m.toman_unit()}</span>
      </p>
      <div className="grid grid-cols-2 gap-2 mt-auto pt-5">
        <Link to={paths.charge} className={`btn btn-sm ${isQuiet ? 'btn-ghost' : 'btn-primary'}`}>
          <Plus className="size-4" aria-hidden />
          {m.charge()}
        </Link>
        <Link to={paths.wallet} className="btn btn-ghost btn-sm">
          <History className="size-4" aria-hidden />
          {m.history()}
        </Link>
      </div>
    </section>
  );
}
