import { formatTime } from '@raha/contract/persian.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { connectionQuery } from '../../../../api/queries.ts';
import { TileStar } from '../../../../components/tile-star.tsx';
import { duration, number, toman } from '../../../../text/format.ts';
import { m } from '../../../../text/generated/messages.js';
import { currentLocale } from '../../../../text/locale.ts';
import type { BackAgain } from './back-again.ts';

interface ChargeBackProps {
  amount: number;
  settledAt: string;
  back: Exclude<BackAgain, { kind: 'was-on' }>;
}

/** After a payment that ended a cut: first that the money is there, then that the way is open, as soon as a server says so. */
export function ChargeBack({ amount, settledAt, back }: ChargeBackProps) {
  const isConnected = useQuery(connectionQuery).data?.isConnected;
  const isOpen = back.kind === 'open';
  return (
    <>
      <section
        role="status"
        data-state={back.kind}
        className="night rounded-xl px-6 py-8 sm:py-10 flex flex-col items-center text-center [@media(max-height:30rem)]:py-5"
      >
        <TileStar
          state={isOpen ? 'lit' : 'waiting'}
          className="size-28 sm:size-36 [@media(max-height:30rem)]:size-16"
        />
        <h2 className="text-2xl font-black mt-4">{titleOf(back, isConnected)}</h2>
        {!isOpen && <p className="text-on-night-2 mt-1">{m.charge_came_text()}</p>}
        {isOpen && isConnected === false && (
          <p className="text-on-night-2 mt-1 max-w-[30rem]">{m.charge_open_text()}</p>
        )}
      </section>
      <ol className="panel p-5 sm:p-6 mt-4 grid gap-3">
        <Step done label={m.charge_done()}>
          {m.charge_hour({ time: formatTime(new Date(settledAt), currentLocale()) })}
        </Step>
        <Step done label={m.charge_step_wallet()}>
          {toman(amount)}
        </Step>
        <Step done={isOpen} label={m.charge_step_open()}>
          {isOpen ? m.charge_seconds({ seconds: tenths(back.seconds) }) : '…'}
        </Step>
        {isOpen && isConnected !== undefined && (
          <Step done={isConnected} label={isConnected ? m.charge_step_device() : m.charge_step_no_device()} />
        )}
      </ol>
      {!isOpen && (
        <p className="text-sm text-text-3 text-center mt-4">
          {m.charge_support()}{' '}
          <a href="/contact" className="font-bold text-accent underline underline-offset-4">
            {m.charge_support_link()}
          </a>
        </p>
      )}
    </>
  );
}

function titleOf(back: ChargeBackProps['back'], isConnected: boolean | undefined): string {
  if (back.kind === 'waiting') return m.charge_came();
  if (isConnected === false) return m.charge_open();
  const { seconds } = back;
  return seconds < 120
    ? m.charge_back_seconds({ seconds: tenths(seconds) })
    : m.charge_back_later({ duration: duration(seconds) });
}

/** Never zero: what is shorter than a tenth took a tenth. */
function tenths(seconds: number): string {
  return number(Math.max(1, Math.round(seconds * 10)) / 10);
}

function Step({ done, label, children }: { done: boolean; label: string; children?: ReactNode }) {
  return (
    <li className="flex items-center gap-3">
      <span
        aria-hidden
        className={`size-3 shrink-0 rounded-full ${done ? 'bg-accent-fill' : 'shadow-[inset_0_0_0_2px_var(--line-control)]'}`}
      />
      <span className={done ? '' : 'text-text-3'}>{label}</span>
      {children && <span className="ms-auto font-bold whitespace-nowrap">{children}</span>}
    </li>
  );
}
