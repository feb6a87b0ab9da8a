import type { Answer } from '@raha/contract/endpoint.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import { Plus, Send } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { trialSentence } from '../../../components/trial-note.tsx';
import { Link } from '../../../routes/link.tsx';
import { number, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';

const TransferDialog = lazy(() => import('./transfer-dialog.tsx'));

export type Wallet = Answer<typeof publicEndpoints.getWallet>['data'];

/** What there is, what of it is set aside, and what a gigabyte costs. */
export function BalanceCard({ wallet }: { wallet: Wallet | undefined }) {
  return (
    <section aria-labelledby="balance" className="night rounded-xl relative isolate overflow-hidden p-5 sm:p-7">
      <div
        aria-hidden
        className="girih absolute inset-0 -z-10 opacity-60 invert dark:invert-0 [mask-image:linear-gradient(to_right,#000,transparent_55%)]"
      />
      <h2 id="balance" className="text-sm font-semibold text-on-night-2">
        {m.balance()}
      </h2>
      {wallet ? (
        <p className="text-3xl font-black mt-1" data-testid="wallet-balance">
          {number(wallet.balance)} <span className="text-base font-semibold text-on-night-2">{m.toman_unit()}</span>
        </p>
      ) : (
        <div className="h-13 w-52 mt-1 rounded-md bg-[oklch(1_0_0/.12)]" role="status" aria-label={m.loading()} />
      )}
      {/* Quiet: it is theirs all the same. */}
      <p className="text-sm text-on-night-2 mt-1 min-h-6" data-testid="wallet-reserved">
        {wallet && wallet.reserved > 0 && m.reserved_line({ amount: toman(wallet.reserved) })}
      </p>
      <dl className="flex flex-wrap gap-x-10 gap-y-4 mt-4 text-sm text-on-night-2 min-h-20">
        {wallet && (
          <>
            {wallet.owed > 0 && (
              <Detail label={m.owed()} note={m.owed_note()}>
                {toman(wallet.owed)}
              </Detail>
            )}
            <Detail label={m.price_per_gb()} note={priceNote(wallet)}>
              {isFromPlan(wallet)
                ? m.price_by_plan()
                : wallet.price_per_gb === 0
                  ? m.free_now()
                  : toman(Math.round(wallet.price_per_gb * 100) / 100)}
            </Detail>
          </>
        )}
      </dl>
      <div className="flex flex-wrap gap-3 mt-5">
        <Link to={paths.charge} className="btn btn-night">
          <Plus className="size-5" aria-hidden />
          {m.charge_wallet()}
        </Link>
        {wallet && <TransferButton balance={wallet.balance} />}
      </div>
    </section>
  );
}

function TransferButton({ balance }: { balance: number }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button className="btn btn-night-quiet" onClick={() => setOpen(true)}>
        <Send className="size-5 rtl:-scale-x-100" aria-hidden />
        {m.transfer_open()}
      </Button>
      {open && (
        <Suspense>
          <TransferDialog balance={balance} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** Usage costs nothing now, and not because of a trial: a plan has traffic. */
function isFromPlan({ price_per_gb, trial }: Wallet): boolean {
  return price_per_gb === 0 && (trial === null || trial.ended !== null);
}

function priceNote(wallet: Wallet): string {
  if (isFromPlan(wallet)) return m.price_by_plan_note();
  if (wallet.trial) return trialSentence(wallet.trial);
  return wallet.price_is_current ? m.price_per_gb_note() : m.rate_not_current();
}

function Detail({ label, note, children }: { label: string; note: string; children: ReactNode }) {
  return (
    <div className="max-w-[21rem]">
      <dt>{label}</dt>
      <dd>
        <span className="block font-bold text-on-night">{children}</span>
        <span className="block text-xs mt-0.5">{note}</span>
      </dd>
    </div>
  );
}
