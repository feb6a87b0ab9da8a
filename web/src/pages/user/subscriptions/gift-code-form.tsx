import { cleanGiftCode } from '@raha/contract/gift-code.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { giftCode } from '@raha/contract/public/gift-cards.ts';
import { screen } from '@raha/contract/screen-timings.ts';
import { CircleCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { navigate, useSearch } from '../../../routes/navigation.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { useForm } from '../../../ui/use-form.ts';
import { GiftCodeField } from './gift-code-field.tsx';
import { grouped } from './hyphen-caret.ts';
import { type Rate, useRedeem } from './use-redeem.ts';

interface GiftCodeFormProps {
  /** A code that a store has handed over, to begin with. */
  bought: string | undefined;
  rate: Rate | undefined;
  isActivated: boolean;
}

export function GiftCodeForm({ bought, rate, isActivated }: GiftCodeFormProps) {
  const { redeem, check, worth, redeemed } = useRedeem(rate);
  const given = useRef(useGivenCode(bought)).current;
  const form = useForm({ code: giftCode }, { code: given.code }, async ({ code }) => redeem(code));
  const hasRate = rate?.rate != null;
  const hasNoRate = rate !== undefined && !hasRate;
  useAutoSubmit(given.autoSubmit && hasRate, form.submit);

  if (redeemed) {
    return (
      <div role="status" className="mt-5 rounded-lg bg-success-soft px-5 py-5">
        <p className="flex items-center gap-2.5 text-lg font-black text-success">
          <CircleCheck className="size-6 shrink-0" aria-hidden />
          {redeemed.message}
        </p>
        <p className="mt-1.5 text-text-2">{m.credited({ amount: toman(redeemed.amount) })}</p>
        <p className="text-sm text-text-3">{m.going_to_panel()}</p>
      </div>
    );
  }
  const problem = fieldSentence(form.problems.code);
  return (
    <form {...form.form} className="grid gap-5 mt-5">
      <GiftCodeField
        {...form.field('code')}
        problem={problem}
        hint={
          worth?.code === form.values.code ? <Worth cents={worth.usd_cents} amount={worth.amount} /> : m.gift_hint()
        }
        onText={(code) => form.set('code', code)}
      />
      <div className="flex flex-wrap gap-3">
        <Button
          type="submit"
          busy={form.busy}
          isIncomplete={form.values.code === ''}
          aria-disabled={hasNoRate}
          aria-describedby={hasNoRate ? 'redeem-note' : undefined}
          className="btn btn-primary flex-1 min-w-48"
        >
          {form.busy ? m.processing() : isActivated ? m.redeem_credit() : m.redeem()}
        </Button>
        <Button
          className="btn btn-quiet"
          busy={form.busy}
          onClick={() => void check(form.values.code).then((found) => found && form.setProblems(found))}
        >
          {m.check_value()}
        </Button>
      </div>
      {hasNoRate && <FieldNote id="redeem-note" problem={m.redeem_waits_for_rate()} />}
    </form>
  );
}

function Worth({ cents, amount }: { cents: number; amount: number }) {
  return (
    <p className="font-semibold text-success">
      {m.card_worth({ dollars: number(cents / 100), amount: toman(amount) })}
    </p>
  );
}

/** A code that came in the address, taken once; the address is then cleaned, so that nothing is sent twice. */
function useGivenCode(bought: string | undefined): { code: string; autoSubmit: boolean } {
  const search = useSearch('/user/subscriptions');
  const code = search.gift_code ?? search.code ?? search.gift_card_code ?? '';
  const hasQuery = code !== '' || search.auto_submit === true || search.store_redirect !== undefined;
  useEffect(() => {
    if (hasQuery) void navigate({ to: paths.activation, search: {}, replace: true });
  }, [hasQuery]);
  if (code === '' && bought) return { code: bought, autoSubmit: false };
  return {
    code: code.includes('-') ? cleanGiftCode(code) : grouped(code),
    // From a store the buyer comes to have it redeemed; a press more would only be in the way.
    autoSubmit: code !== '' && (!!search.auto_submit || search.store_redirect !== undefined),
  };
}

function useAutoSubmit(wanted: boolean, submit: () => Promise<void>): void {
  const latest = useRef(submit);
  latest.current = submit;
  const done = useRef(false);
  useEffect(() => {
    if (!wanted || done.current) return;
    const timer = setTimeout(() => {
      done.current = true;
      void latest.current();
    }, screen.activation.autoSubmitMs);
    return () => clearTimeout(timer);
  }, [wanted]);
}
