import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { CircleCheck, CircleX, Clock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMe } from '../../../../components/use-me.ts';
import { Link } from '../../../../routes/link.tsx';
import { toman } from '../../../../text/format.ts';
import { m } from '../../../../text/generated/messages.js';
import { backAgain } from './back-again.ts';
import { ChargeBack } from './charge-back.tsx';
import { useVerifiedCharge } from './use-verified-charge.ts';

/** Back from the bank: what became of the payment, as the server found out, not as the address says. */
export function ChargeReturn({ payment, onAgain }: { payment: string; onAgain(): void }) {
  const outcome = useVerifiedCharge(payment);
  const service = useMe()?.service;
  if (outcome.kind === 'done') {
    const { amount, ref_id, balance, settled_at } = outcome.charge;
    const back = backAgain(service, settled_at);
    const facts = (
      <dl className="grid gap-2 w-full max-w-[30rem] mt-4 mx-auto text-start">
        {back.kind === 'was-on' && <Line label={m.charged_amount()}>{toman(amount)}</Line>}
        <Line label={m.reference_id()}>
          <bdi dir="ltr" className="font-code text-sm [overflow-wrap:anywhere]">
            {ref_id}
          </bdi>
        </Line>
        <Line label={m.new_balance()}>{toman(balance)}</Line>
      </dl>
    );
    if (back.kind !== 'was-on' && settled_at) {
      return (
        <div className="max-w-[40rem] mx-auto">
          <ChargeBack amount={amount} settledAt={settled_at} back={back} />
          {facts}
          <div className="flex flex-wrap justify-center gap-3 mt-6 max-sm:*:w-full">
            <Link to={paths.dashboard} className="btn btn-primary">
              {m.charge_to_dashboard()}
            </Link>
            <Link to={paths.wallet} className="btn btn-ghost">
              {m.nav_wallet()}
            </Link>
          </div>
        </div>
      );
    }
    return (
      <Result tone="success" icon={<CircleCheck className="size-8" aria-hidden />} title={m.charge_done()}>
        {facts}
        <div className="flex flex-wrap justify-center gap-3 mt-6">
          <Link to={paths.configs} className="btn btn-primary">
            {m.nav_configs()}
          </Link>
          <Link to={paths.wallet} className="btn btn-ghost">
            {m.nav_wallet()}
          </Link>
        </div>
      </Result>
    );
  }
  if (outcome.kind === 'failed') {
    return (
      <Result tone="danger" icon={<CircleX className="size-8" aria-hidden />} title={m.charge_not_done()}>
        <p className="text-text-2 max-w-[30rem] mt-1">{outcome.sentence}</p>
        <div className="flex flex-wrap justify-center gap-3 mt-6">
          <button type="button" className="btn btn-primary" onClick={onAgain}>
            {m.pay_again()}
          </button>
          <Link to={paths.wallet} className="btn btn-ghost">
            {m.back_to_wallet()}
          </Link>
        </div>
      </Result>
    );
  }
  return (
    <Result tone="waiting" icon={<Clock className="size-8" aria-hidden />} title={m.charge_checking()}>
      <p className="text-text-2 max-w-[30rem] mt-1">{outcome.sentence ?? m.charge_checking_text()}</p>
      <div className="flex flex-wrap justify-center gap-3 mt-6">
        <Link to={paths.wallet} className="btn btn-ghost">
          {m.back_to_wallet()}
        </Link>
      </div>
    </Result>
  );
}

const tones = {
  success: 'bg-success-soft text-success',
  danger: 'bg-danger-soft text-danger',
  waiting: 'bg-spark-soft text-spark-text',
} as const;

interface ResultProps {
  tone: keyof typeof tones;
  icon: ReactNode;
  title: string;
  children: ReactNode;
}

function Result({ tone, icon, title, children }: ResultProps) {
  return (
    <section role="status" className="panel px-6 py-10 sm:py-14 flex flex-col items-center text-center">
      <span className={`grid place-items-center size-16 rounded-full ${tones[tone]}`}>{icon}</span>
      <h2 className="text-xl font-black mt-4">{title}</h2>
      {children}
    </section>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 border-b border-line pb-2">
      <dt className="text-sm text-text-3 shrink-0">{label}</dt>
      <dd className="font-bold">{children}</dd>
    </div>
  );
}
