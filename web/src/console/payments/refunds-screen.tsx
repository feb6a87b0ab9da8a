import { useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { RefundTable } from './refund-table.tsx';

/** Refunds that an operator has to send by hand, or whose outcome no bank tells. */
export function RefundsScreen({ self }: ScreenProps) {
  const answer = useAnswer('refunds', async () => (await api.listRefunds()).data);
  const { data, reload } = answer;
  const [outcome, setOutcome] = useState('');
  const done = (sentence: string) => {
    setOutcome(sentence);
    reload();
  };
  const count = data?.refunds.length ?? 0;
  return (
    <>
      <Lead
        title={
          data
            ? count === 0
              ? m.console_refunds_none()
              : m.console_refunds_lead({ count: number(count) })
            : m.console_refunds()
        }
        {...(data ? { text: count === 0 ? m.console_refunds_none_text() : m.console_refunds_text() } : {})}
      />
      <Reading of={answer} outcome={outcome} />
      {data && count > 0 ? <RefundTable refunds={data.refunds} role={self.role} onDone={done} /> : null}
      {data?.more ? <p className="c-note">{m.console_refunds_more()}</p> : null}
    </>
  );
}
