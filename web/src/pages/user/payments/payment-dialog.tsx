import type { PaymentRecord } from '@raha/contract/public/payments.ts';
import { useQueryClient } from '@tanstack/react-query';
import { FileDown, RefreshCw } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { date, dateTime, number, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { AskDialog } from '../shared/ask-dialog.tsx';
import { PanelSheet } from '../shared/panel-sheet.tsx';
import { fetchFile } from '../shared/save-file.ts';
import { PaymentBadge } from './payment-badge.tsx';
import { refunds, types } from './payment-words.ts';

interface PaymentDialogProps {
  payment: PaymentRecord;
  onChange(payment: PaymentRecord): void;
  onClose(): void;
}

const saveReceipt = ({ id, receipt_url }: PaymentRecord) =>
  fetchFile(`raha-receipt-${id.slice(-12)}.pdf`, receipt_url as string, 'application/pdf');

type Asked = 'refund' | 'cancel';

/** All there is to know of one payment, and what can be done about it; what cannot be taken back is asked about first. */
export default function PaymentDialog({ payment, onChange, onClose }: PaymentDialogProps) {
  const queries = useQueryClient();
  const running = useRef(false);
  const [key] = useState(() => crypto.randomUUID());
  const [asked, setAsked] = useState<Asked>();
  const [busy, setBusy] = useState<'receipt' | 'check'>();
  const [problem, setProblem] = useState<string>();

  const act = async (what: NonNullable<typeof busy>, action: () => Promise<unknown>, failure?: string) => {
    if (running.current) return;
    running.current = true;
    setBusy(what);
    setProblem(undefined);
    try {
      await action();
    } catch (error) {
      setProblem(errorSentence(error, failure));
    } finally {
      running.current = false;
      setBusy(undefined);
      refreshWallet();
    }
  };
  const refreshWallet = () => void queries.invalidateQueries({ queryKey: ['wallet'] });
  const params = { id: payment.id };
  const check = async () => {
    await api.verifyPayment({ params, body: {} });
    onChange((await api.getPayment({ params })).data.payment);
    toast(m.payment_arrived());
  };
  const confirm = async () => {
    const headers = { 'Idempotency-Key': `${key}-${asked}` };
    try {
      const answer =
        asked === 'refund'
          ? await api.refundPayment({ params, body: {} }, { headers })
          : await api.cancelPayment({ params }, { headers });
      onChange(answer.data.payment);
      setAsked(undefined);
      toast(answer.message);
    } finally {
      refreshWallet();
    }
  };

  if (asked) return <Question asked={asked} payment={payment} onBack={() => setAsked(undefined)} onConfirm={confirm} />;
  return (
    <PanelSheet title={payment.description} wide onClose={onClose}>
      <Facts payment={payment} />
      <FieldNote problem={problem} />
      <div className="flex flex-wrap gap-3 mt-5 [&>*]:flex-1 [&>*]:min-w-40 empty:hidden">
        {payment.receipt_url && (
          <Button
            className="btn btn-primary"
            busy={busy === 'receipt'}
            onClick={() => void act('receipt', () => saveReceipt(payment))}
          >
            <FileDown className="size-4" aria-hidden />
            {m.receipt()}
          </Button>
        )}
        {payment.status === 'pending' && (
          <Button
            className="btn btn-primary"
            busy={busy === 'check'}
            onClick={() => void act('check', check, m.charge_verify_failed())}
          >
            <RefreshCw className="size-4" aria-hidden />
            {m.check_again()}
          </Button>
        )}
        {payment.cancellable && (
          <Button className="btn btn-ghost" onClick={() => setAsked('cancel')}>
            {m.payment_cancel()}
          </Button>
        )}
        {payment.refundable && payment.status === 'completed' && (
          <Button className="btn btn-ghost" onClick={() => setAsked('refund')}>
            {m.payment_refund()}
          </Button>
        )}
      </div>
    </PanelSheet>
  );
}

interface QuestionProps {
  asked: Asked;
  payment: PaymentRecord;
  onBack(): void;
  onConfirm(): Promise<void>;
}

function Question({ asked, payment, onBack, onConfirm }: QuestionProps) {
  const refund = asked === 'refund';
  const part = refund && payment.refundable_amount < payment.amount;
  return (
    <AskDialog
      title={refund ? m.payment_refund() : m.payment_cancel()}
      description={refund ? m.refund_question() : m.cancel_question()}
      confirmLabel={refund ? m.payment_refund() : m.payment_cancel()}
      failed={refund ? m.refund_request_failed() : m.payment_cancel_failed()}
      onConfirm={onConfirm}
      onClose={onBack}
    >
      <p className="rounded-md bg-surface-2 px-4 py-3 flex items-baseline justify-between gap-4">
        {refund ? m.refund_amount() : payment.description}
        <strong>{toman(refund ? payment.refundable_amount : payment.amount)}</strong>
      </p>
      <p className="mt-3 text-sm text-text-2">
        {refund ? m.refund_note() : m.cancel_note()} {part && m.refund_part_note()}{' '}
        {refund &&
          payment.refund_arrival_days !== null &&
          m.refund_arrival({ days: number(payment.refund_arrival_days) })}
      </p>
    </AskDialog>
  );
}

function Facts({ payment }: { payment: PaymentRecord }) {
  const { refund } = payment;
  return (
    <dl className="grid gap-0 text-sm">
      <Fact name={m.column_amount()}>
        <strong className="text-base">{toman(payment.amount)}</strong>
      </Fact>
      <Fact name={m.column_status()}>
        <PaymentBadge payment={payment} />
      </Fact>
      <Fact name={m.column_type()}>{types[payment.type]()}</Fact>
      <Fact name={m.column_date()}>{dateTime(payment.created_at)}</Fact>
      <Fact name={m.column_gateway()}>
        <bdi>{payment.paymentMethod.title}</bdi>
      </Fact>
      <Fact name={m.column_number()}>
        <Code>{payment.id}</Code>
      </Fact>
      {payment.reference_id && (
        <Fact name={m.reference_number()}>
          <Code>{payment.reference_id}</Code>
        </Fact>
      )}
      {payment.tracking_code && (
        <Fact name={m.tracking_number()}>
          <Code>{payment.tracking_code}</Code>
        </Fact>
      )}
      {payment.refundable_until !== null && payment.refund_arrival_days !== null && (
        <Fact name={m.payment_refund()}>
          {m.refundable_until({ amount: toman(payment.refundable_amount), date: date(payment.refundable_until) })}{' '}
          {m.refund_arrival({ days: number(payment.refund_arrival_days) })}
        </Fact>
      )}
      {refund && (
        <Fact name={m.type_refund()}>
          {m.refund_line({ amount: toman(refund.amount), status: refunds[refund.status]() })}
          {refund.tracking_code && (
            <>
              {' '}
              <Code>{refund.tracking_code}</Code>
            </>
          )}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-2.5 [&+&]:border-t border-line">
      <dt className="text-text-3 shrink-0">{name}</dt>
      <dd className="text-end min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

function Code({ children }: { children: string }) {
  return (
    <bdi dir="ltr" className="font-code text-xs">
      {children}
    </bdi>
  );
}
