import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { useState } from 'react';
import { ActivationBanner } from '../../../../components/activation-banner.tsx';
import { PageHeading } from '../../../../components/page-heading.tsx';
import { StepList } from '../../../../components/step-list.tsx';
import { useMe } from '../../../../components/use-me.ts';
import { useTitle } from '../../../../components/use-title.ts';
import { Link } from '../../../../routes/link.tsx';
import { useSearch } from '../../../../routes/navigation.ts';
import { toman } from '../../../../text/format.ts';
import { m } from '../../../../text/generated/messages.js';
import { ChargeForm } from './charge-form.tsx';
import { ChargeReturn } from './charge-return.tsx';

export default function ChargePage() {
  useTitle(m.charge_title());
  const me = useMe();
  const { payment } = useSearch('/user/wallet/charge');
  // The query goes away when the outcome is known; the outcome stays on the screen until the user moves on.
  const [returned, setReturned] = useState(payment);
  const shown = payment ?? returned;

  const isCut = me?.service?.state === 'cut';
  if (!me?.isActivated) {
    return (
      <>
        <PageHeading title={m.charge_title()} />
        <ActivationBanner text={m.wallet_needs_activation()} />
        <Link to={paths.wallet} className="btn btn-ghost btn-sm">
          {m.back_to_wallet()}
        </Link>
      </>
    );
  }
  if (shown) {
    return (
      <>
        <PageHeading title={m.charge_title()} />
        <ChargeReturn key={shown} payment={shown} onAgain={() => setReturned(undefined)} />
      </>
    );
  }
  return (
    <>
      <PageHeading title={m.charge_title()} {...(!isCut && { text: m.charge_text() })} />
      {isCut && (
        <p className="badge bg-danger-soft text-danger mb-4" role="status">
          <span aria-hidden className="size-2 rounded-full bg-current" />
          {m.charge_cut()}
        </p>
      )}
      <div className="grid gap-4 sm:gap-5 lg:grid-cols-12 items-start">
        <div className="lg:col-span-7">
          <ChargeForm />
        </div>
        <div className="lg:col-span-5 grid gap-4 sm:gap-5">
          <section className="panel p-5 sm:p-6" aria-labelledby="account">
            <h2 id="account" className="text-sm text-text-3">
              {m.current_balance()}
            </h2>
            <p className="text-2xl font-black">{toman(me.balance)}</p>
            <div className="flex flex-wrap gap-2 mt-3">
              <Link to={paths.wallet} className="btn btn-ghost btn-sm">
                {m.back_to_wallet()}
              </Link>
              <Link to={paths.activation} search={{ redeem: true }} className="btn btn-quiet btn-sm !text-accent">
                {m.charge_with_gift_card()}
              </Link>
            </div>
          </section>
          <section className="panel p-5 sm:p-6" aria-labelledby="guide">
            <h2 id="guide" className="text-base font-bold">
              {m.charge_guide()}
            </h2>
            <StepList steps={[m.charge_step_1(), m.charge_step_2(), m.charge_step_3(), m.charge_step_4()]} />
          </section>
        </div>
      </div>
    </>
  );
}
