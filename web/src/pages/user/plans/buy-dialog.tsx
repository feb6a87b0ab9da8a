import { cleanGiftCode, giftCodeProblem } from '@raha/contract/gift-code.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { Quote } from '@raha/contract/public/subscriptions.ts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { plansQuery, rateQuery } from '../../../api/queries.ts';
import { useMe } from '../../../components/use-me.ts';
import { Link } from '../../../routes/link.tsx';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { date, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { GiftCodeField } from '../subscriptions/gift-code-field.tsx';
import { createAttempts } from '../wallet/charge/attempts.ts';
import { QuoteLines } from './quote-lines.tsx';

export type Order = { readonly plan_id: string } | { readonly renewal_of: string };
type Method = 'wallet' | 'gift_card';

function quoteQuery(order: Order) {
  return queryOptions({
    queryKey: ['quote', order],
    queryFn: async ({ signal }) => (await api.quoteSubscription({ query: order }, { signal })).data,
    gcTime: 0,
  });
}

const titles: Record<Quote['kind'], (inputs: { plan: string }) => string> = {
  purchase: m.quote_title,
  renewal: m.quote_renewal,
  upgrade: m.quote_upgrade,
};

/** Says what it costs before it is paid; never takes more than it said. */
export function BuyDialog({ order, onClose }: { order: Order; onClose(): void }) {
  const queries = useQueryClient();
  const quote = useQuery(quoteQuery(order));
  // It outlives the form, which begins anew with the new price.
  const [changed, setChanged] = useState('');
  const { data } = quote;
  return (
    <PanelSheet
      title={data ? titles[data.kind]({ plan: data.plan.name }) : m.plans_title()}
      description={data ? m.quote_span({ from: date(data.startDate), to: date(data.endDate) }) : undefined}
      onClose={onClose}
    >
      {quote.isPending && <div className="skeleton h-40 !rounded-md" role="status" aria-label={m.loading()} />}
      {quote.isError && (
        <>
          <FieldNote problem={errorSentence(quote.error, m.quote_failed())} />
          <Button className="btn btn-ghost mt-4 w-full" busy={quote.isFetching} onClick={() => void quote.refetch()}>
            {m.try_again()}
          </Button>
        </>
      )}
      {data && (
        <Payment
          key={`${data.due} ${data.plan.version ?? ''}`}
          order={order}
          quote={data}
          changed={changed}
          onClose={onClose}
          onChanged={(sentence) => {
            setChanged(sentence);
            if (sentence === '') return;
            void quote.refetch();
            void queries.invalidateQueries({ queryKey: plansQuery.queryKey });
          }}
        />
      )}
    </PanelSheet>
  );
}

interface PaymentProps {
  order: Order;
  quote: Quote;
  /** What was different when it was to be paid; empty: nothing. */
  changed: string;
  onClose(): void;
  onChanged(sentence: string): void;
}

function Payment({ order, quote, changed, onClose, onChanged }: PaymentProps) {
  const queries = useQueryClient();
  const rate = useQuery(rateQuery);
  const isShort = quote.due > quote.wallet;
  const isAfterTrial = quote.startDate === useMe()?.trialEndsAt;
  const [method, setMethod] = useState<Method>(isShort ? 'gift_card' : 'wallet');
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<{ at: 'code' | 'form'; text: string }>();
  const [busy, setBusy] = useState(false);
  const running = useRef(false);
  const [attempts] = useState(() => createAttempts(() => crypto.randomUUID()));

  const pay = async () => {
    const wrong = method === 'gift_card' ? giftCodeProblem(cleanGiftCode(code)) : undefined;
    if (wrong) return setProblem({ at: 'code', text: fieldSentence(wrong) ?? wrong });
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setProblem(undefined);
    onChanged('');
    try {
      await send(order, quote, method === 'gift_card' ? { code, rate: rate.data?.rate } : undefined, attempts);
      toast(
        isAfterTrial
          ? m.plan_bought_later({ plan: quote.plan.name, date: date(quote.startDate) })
          : m.plan_bought({ plan: quote.plan.name }),
      );
      for (const key of ['subscriptions', 'wallet', 'me', 'configs'])
        void queries.invalidateQueries({ queryKey: [key] });
      onClose();
    } catch (error) {
      const { code: refusal, fields } = error as { code?: string; fields?: Record<string, string> };
      if (refusal !== 'network') attempts.over();
      if (refusal === 'plan_changed' || refusal === 'plan_price_changed') {
        onChanged(errorSentence(error));
        return;
      }
      if (refusal?.startsWith('rate_')) void queries.invalidateQueries({ queryKey: rateQuery.queryKey });
      const isOfCode = refusal?.startsWith('gift_card_') || fields?.gift_card_code !== undefined;
      setProblem({
        at: isOfCode ? 'code' : 'form',
        text:
          fields?.gift_card_code ??
          errorSentence(error, 'renewal_of' in order ? m.plan_renew_failed() : m.plan_buy_failed()),
      });
    } finally {
      running.current = false;
      setBusy(false);
    }
  };

  const isBlocked = method === 'wallet' && isShort;
  return (
    <div className="grid gap-5">
      <QuoteLines quote={quote} />
      {isAfterTrial && <p className="text-sm text-text-2">{m.quote_after_trial({ date: date(quote.startDate) })}</p>}
      <MethodChoice value={method} onChange={setMethod} />
      {method === 'gift_card' && (
        <GiftCodeField
          name="plan_code"
          value={code}
          problem={problem?.at === 'code' ? problem.text : undefined}
          hint={m.pay_card_note()}
          onBlur={() => undefined}
          onText={setCode}
        />
      )}
      {isBlocked && (
        <div>
          <FieldNote problem={m.wallet_short({ amount: toman(quote.due - quote.wallet) })} />
          <Link to={paths.charge} className="btn btn-ghost btn-sm mt-3">
            {m.charge_wallet()}
          </Link>
        </div>
      )}
      <FieldNote problem={problem?.at === 'form' ? problem.text : changed || undefined} />
      <Button className="btn btn-primary w-full" busy={busy} aria-disabled={isBlocked} onClick={() => void pay()}>
        {m.pay_now()}
      </Button>
    </div>
  );
}

async function send(
  order: Order,
  quote: Quote,
  card: { code: string; rate: number | null | undefined } | undefined,
  attempts: ReturnType<typeof createAttempts>,
): Promise<void> {
  const payment = {
    expected_due: quote.due,
    ...(quote.plan.version === undefined ? {} : { expected_version: quote.plan.version }),
    ...(card
      ? {
          payment_method: 'gift_card' as const,
          gift_card_code: cleanGiftCode(card.code),
          ...(card.rate == null ? {} : { current_price: card.rate }),
        }
      : { payment_method: 'wallet' as const }),
  };
  const options = { headers: { 'Idempotency-Key': attempts.keyFor({ order, payment }) } };
  if ('plan_id' in order) await api.purchaseSubscription({ body: { ...order, ...payment } }, options);
  else await api.renewSubscription({ params: { id: order.renewal_of }, body: payment }, options);
}

function MethodChoice({ value, onChange }: { value: Method; onChange(method: Method): void }) {
  const name = useId();
  const methods: readonly [Method, string][] = [
    ['wallet', m.pay_with_wallet()],
    ['gift_card', m.pay_with_card()],
  ];
  return (
    <fieldset>
      <legend className="text-sm font-semibold text-text-2 mb-1.5">{m.pay_with()}</legend>
      <div className="grid grid-cols-2 gap-2">
        {methods.map(([method, label]) => (
          <label
            key={method}
            className="relative grid place-items-center min-h-12 px-3 rounded-md cursor-pointer font-semibold shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 has-checked:shadow-[inset_0_0_0_2px_var(--accent)] has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={method === value}
              onChange={() => onChange(method)}
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
