import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import type { PaymentGateway } from '@raha/contract/public/payments.ts';
import { chargeAmount } from '@raha/contract/public/wallet.ts';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../../../api/client.ts';
import { errorSentence } from '../../../../api/error-sentence.ts';
import { gatewaysQuery } from '../../../../api/queries.ts';
import { fieldSentence } from '../../../../text/field-sentence.ts';
import { number, toman, tomanInWords } from '../../../../text/format.ts';
import { m } from '../../../../text/generated/messages.js';
import { Button } from '../../../../ui/button.tsx';
import { FieldNote, TextField } from '../../../../ui/text-field.tsx';
import { useForm } from '../../../../ui/use-form.ts';
import { createAttempts } from './attempts.ts';
import { GatewayPicker } from './gateway-picker.tsx';

export function ChargeForm() {
  const gateways = useQuery(gatewaysQuery);
  const [chosen, setChosen] = useState<GatewayName>();
  const [problem, setProblem] = useState<string>();
  const [attempts] = useState(() => createAttempts(() => crypto.randomUUID()));
  const leaving = useRef(false);
  const gateway = chosen ?? usual(gateways.data);

  const form = useForm({ amount: chargeAmount }, { amount: '' }, async (values) => {
    // The form may be sent before the list of gateways has come.
    const method = gateway ?? usual((await gateways.refetch({ cancelRefetch: false })).data);
    if (!method || leaving.current) return undefined;
    setProblem(undefined);
    const body = { amount: parseAmount(values.amount), payment_method: method };
    try {
      const answer = await api.chargeWallet({ body }, { headers: { 'Idempotency-Key': attempts.keyFor(body) } });
      if (!answer.payment_url) throw new ApiError(502, 'unknown', m.charge_failed());
      leaving.current = true;
      location.assign(answer.payment_url);
      // The form stays busy while the bank's page loads; a user who comes back may start anew.
      await new Promise((resolve) => setTimeout(resolve, 8_000));
      leaving.current = false;
      attempts.over();
      return undefined;
    } catch (error) {
      // Without an answer the attempt may have been registered: the same key makes the retry the same payment.
      if (error instanceof ApiError && error.code !== 'network' && error.status < 500) attempts.over();
      if (error instanceof ApiError && error.fields.amount) return { amount: error.fields.amount };
      setProblem(errorSentence(error, m.charge_failed()));
      return undefined;
    }
  });
  const amount = parseAmount(form.values.amount);

  return (
    <form {...form.form} className="panel p-5 sm:p-6 grid gap-6">
      <div>
        <h2 className="text-base font-bold mb-3">{m.amount_heading()}</h2>
        <Presets amount={amount} onChoose={(preset) => form.set('amount', number(preset))} />
        <div className="mt-4">
          <TextField
            {...form.field('amount')}
            label={m.amount_label()}
            type="text"
            inputMode="numeric"
            autoComplete="off"
            dir="ltr"
            className="text-start text-lg font-bold"
            problem={fieldSentence(form.problems.amount)}
            hint={(amount > 0 && tomanInWords(amount)) || m.amount_hint({ min: toman(limits.charge.minToman) })}
            onText={(text) => form.set('amount', grouped(text))}
          />
        </div>
      </div>
      <GatewayPicker gateways={gateways} value={gateway} onChange={setChosen} />
      <div>
        <Button
          type="submit"
          busy={form.busy}
          isIncomplete={!(amount >= limits.charge.minToman)}
          aria-disabled={!gateway && !gateways.isPending}
          className="btn btn-primary w-full"
        >
          {form.busy ? m.going_to_bank() : m.pay()}
        </Button>
        <FieldNote problem={problem} hint={m.pay_note()} />
      </div>
    </form>
  );
}

/** The first gateway that works, or else the first. */
function usual(gateways: readonly PaymentGateway[] | undefined): GatewayName | undefined {
  return (gateways?.find(({ health }) => health !== 'off') ?? gateways?.[0])?.name;
}

function Presets({ amount, onChoose }: { amount: number; onChoose(amount: number): void }) {
  return (
    <div className="grid grid-cols-2 sm:grid-cols-4 gap-2">
      {limits.charge.presetsToman.map((preset) => (
        <button
          key={preset}
          type="button"
          aria-pressed={amount === preset}
          onClick={() => onChoose(preset)}
          className="min-h-12 px-2 rounded-md text-sm font-bold shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 aria-pressed:shadow-[inset_0_0_0_2px_var(--accent)] aria-pressed:bg-accent-soft"
        >
          {toman(preset)}
        </button>
      ))}
    </div>
  );
}

/** Digits are grouped while typing, in the script of the page; what is not a number stays for the rule to name. */
function grouped(text: string): string {
  const amount = parseAmount(text);
  return Number.isNaN(amount) ? text : number(amount);
}
