import type { Answer } from '@raha/contract/endpoint.ts';
import { limits } from '@raha/contract/limits.ts';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import { chargeAmount } from '@raha/contract/public/wallet.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { gatewaysQuery, walletQuery } from '../../../../api/queries.ts';
import { fieldSentence } from '../../../../text/field-sentence.ts';
import { bytes, number, toman, tomanInWords } from '../../../../text/format.ts';
import { m } from '../../../../text/generated/messages.js';
import { Button } from '../../../../ui/button.tsx';
import { FieldNote, TextField } from '../../../../ui/text-field.tsx';
import { useForm } from '../../../../ui/use-form.ts';
import { GatewayPicker } from './gateway-picker.tsx';
import { useStartCharge } from './use-start-charge.ts';

/** Amount and bank of last time are chosen already: one press pays. */
export function ChargeForm() {
  const gateways = useQuery(gatewaysQuery);
  const usual = gateways.data?.usual ?? undefined;
  const [chosen, setChosen] = useState<GatewayName>();
  const { start, problem } = useStartCharge();
  const gateway = chosen ?? gatewayOf(gateways.data);

  const form = useForm({ amount: chargeAmount }, { amount: usual ? number(usual.amount) : '' }, async (values) => {
    // The form may be sent before the list of gateways has come.
    const method = gateway ?? gatewayOf((await gateways.refetch({ cancelRefetch: false })).data);
    return method && (await start({ amount: parseAmount(values.amount), payment_method: method }));
  });
  const amount = parseAmount(form.values.amount);
  const isEnough = amount >= limits.charge.minToman;

  return (
    <form {...form.form} className="grid gap-3">
      <div className="panel p-4 sm:p-6 grid gap-5">
        <div>
          <h2 className="text-base font-bold mb-3">{m.amount_heading()}</h2>
          <Presets amount={amount} usual={usual?.amount} onChoose={(preset) => form.set('amount', number(preset))} />
          <div className="mt-3">
            <TextField
              {...form.field('amount')}
              label={m.amount_label()}
              type="text"
              inputMode="numeric"
              autoComplete="off"
              dir="ltr"
              className="text-start text-lg font-bold"
              problem={fieldSentence(form.problems.amount)}
              hint={hintOf(amount, usual?.amount)}
              onText={(text) => form.set('amount', grouped(text))}
            />
          </div>
        </div>
        <GatewayPicker gateways={gateways} value={gateway} onChange={setChosen} />
      </div>
      <div className="sticky bottom-0 z-10 -mx-4 px-4 sm:static sm:mx-0 sm:px-0 py-3 bg-bg [@media(max-height:30rem)]:static">
        <Button
          type="submit"
          busy={form.busy}
          isIncomplete={!isEnough}
          aria-disabled={!gateway && !gateways.isPending}
          className="btn btn-primary w-full min-h-14"
        >
          {form.busy ? m.going_to_bank() : isEnough ? m.pay_amount({ amount: toman(amount) }) : m.pay()}
        </Button>
        <FieldNote problem={problem} hint={m.pay_note()} />
      </div>
    </form>
  );
}

type Options = Answer<typeof publicEndpoints.listPaymentGateways>['data'];

/** The bank of last time if it answers, else the first that does, else the first. */
function gatewayOf(data: Options | undefined): GatewayName | undefined {
  const works = data?.gateways.filter(({ health }) => health !== 'off') ?? [];
  const last = works.find(({ name }) => name === data?.usual?.gateway?.name);
  return (last ?? works[0] ?? data?.gateways[0])?.name;
}

function hintOf(amount: number, usual: number | undefined): string {
  const words = (amount > 0 && tomanInWords(amount)) || m.amount_hint({ min: toman(limits.charge.minToman) });
  const isUsual = amount === usual && !limits.charge.presetsToman.some((preset) => preset === amount);
  return isUsual ? `${words} · ${m.charge_last_time()}` : words;
}

interface PresetsProps {
  amount: number;
  usual: number | undefined;
  onChoose(amount: number): void;
}

/** What each amount buys is said as well, where usage is paid by the gigabyte. */
function Presets({ amount, usual, onChoose }: PresetsProps) {
  const price = useQuery(walletQuery).data?.price_per_gb ?? 0;
  return (
    <div className="grid grid-cols-2 sm:grid-cols-4 gap-2">
      {limits.charge.presetsToman.map((preset) => {
        const notes = [
          ...(price > 0 ? [bytes(Number(((preset / price) * 1e9).toPrecision(3)))] : []),
          ...(preset === usual ? [m.charge_last_time()] : []),
        ];
        return (
          <button
            key={preset}
            type="button"
            aria-pressed={amount === preset}
            onClick={() => onChoose(preset)}
            className="min-h-14 px-2 py-1.5 rounded-md text-sm leading-snug shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 aria-pressed:shadow-[inset_0_0_0_2px_var(--accent)] aria-pressed:bg-accent-soft"
          >
            <span className="block font-bold">{toman(preset)}</span>
            {notes.length > 0 && <span className="block text-xs text-text-2">{notes.join(' · ')}</span>}
          </button>
        );
      })}
    </div>
  );
}

/** Digits are grouped while typing, in the script of the page; what is not a number stays for the rule to name. */
function grouped(text: string): string {
  const amount = parseAmount(text);
  return Number.isNaN(amount) ? text : number(amount);
}
