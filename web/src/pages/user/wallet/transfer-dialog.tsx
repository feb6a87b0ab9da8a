import { ApiError } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import { transferAmount, transferRecipient } from '@raha/contract/public/wallet.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { fieldSentence } from '../../../text/field-sentence.ts';
import { number, toman, tomanInWords } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote, TextField } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { type FieldProblems, useForm } from '../../../ui/use-form.ts';
import type { Proof } from '../profile/confirm-dialog.tsx';
import { profileQuery } from '../profile/profile-api.ts';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { createAttempts } from './charge/attempts.ts';

const ConfirmDialog = lazy(() => import('../profile/confirm-dialog.tsx'));

interface Transfer {
  readonly to: string;
  readonly amount: number;
}

/** Money to another user. Where the server wants to know that it is the owner, the same transfer is sent again with a proof. */
export default function TransferDialog({ balance, onClose }: { balance: number; onClose(): void }) {
  const queries = useQueryClient();
  const [attempts] = useState(() => createAttempts(() => crypto.randomUUID()));
  const [unproved, setUnproved] = useState<Transfer>();
  const [problem, setProblem] = useState<string>();
  const profile = useQuery({ ...profileQuery, enabled: unproved !== undefined });

  const send = async (transfer: Transfer, proof: Proof = {}) => {
    const body = { ...transfer, ...proof };
    try {
      const { message } = await api.transferMoney({ body }, { headers: { 'Idempotency-Key': attempts.keyFor(body) } });
      toast(message);
      for (const key of ['wallet', 'me']) void queries.invalidateQueries({ queryKey: [key] });
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.code !== 'network' && error.status < 500) attempts.over();
      throw error;
    }
  };

  const form = useForm({ to: transferRecipient, amount: transferAmount }, { to: '', amount: '' }, async (values) => {
    const transfer = { to: values.to, amount: parseAmount(values.amount) };
    setProblem(undefined);
    try {
      await send(transfer);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'confirmation_needed') setUnproved(transfer);
      else if (error instanceof ApiError && Object.keys(error.fields).length > 0) return error.fields as FieldProblems;
      else setProblem(errorSentence(error, m.transfer_failed()));
    }
    return undefined;
  });
  const amount = parseAmount(form.values.amount);

  if (unproved && profile.data) {
    return (
      <Suspense>
        <ConfirmDialog
          title={m.transfer_confirm_title()}
          description={m.transfer_confirm_text({ amount: toman(unproved.amount), to: `\u2066${unproved.to}\u2069` })}
          confirmLabel={m.transfer_send()}
          profile={profile.data}
          onConfirm={(proof) => send(unproved, proof)}
          onClose={() => setUnproved(undefined)}
        />
      </Suspense>
    );
  }
  const failure = profile.isError ? errorSentence(profile.error) : problem;
  return (
    <PanelSheet
      title={m.transfer_title()}
      description={m.transfer_text({ balance: toman(balance), max: toman(limits.transfer.perDayToman) })}
      onClose={onClose}
    >
      <form {...form.form} className="grid gap-4">
        <TextField
          {...form.field('to')}
          label={m.transfer_to()}
          type="email"
          autoComplete="off"
          dir="ltr"
          className="text-start"
          hint={m.transfer_to_hint()}
          problem={fieldSentence(form.problems.to)}
          onText={(text) => form.set('to', text)}
        />
        <TextField
          {...form.field('amount')}
          label={m.transfer_amount()}
          type="text"
          inputMode="numeric"
          autoComplete="off"
          dir="ltr"
          className="text-start text-lg font-bold"
          hint={amount > 0 ? tomanInWords(amount) : m.transfer_amount_hint({ min: toman(limits.transfer.minToman) })}
          problem={fieldSentence(form.problems.amount)}
          onText={(text) => form.set('amount', Number.isNaN(parseAmount(text)) ? text : number(parseAmount(text)))}
        />
        <FieldNote problem={failure} hint={m.transfer_note()} />
        <div className="flex flex-wrap gap-3">
          <Button
            type="submit"
            className="btn btn-primary flex-1"
            busy={form.busy || (unproved !== undefined && profile.isPending)}
          >
            {m.transfer_send()}
          </Button>
          <Button className="btn btn-ghost flex-1" onClick={onClose}>
            {m.cancel()}
          </Button>
        </div>
      </form>
    </PanelSheet>
  );
}
