import { staffLimits } from '@raha/contract/admin/limits.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import { useRef, useState } from 'react';
import { date, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { once } from '../people/money-acts.tsx';
import { dollars, endOfDayIn, readCents, readDays } from './words.ts';

type Requested = Awaited<ReturnType<typeof api.issueCards>>['data'];
type Alone = Awaited<ReturnType<typeof api.listCardBatches>>['data']['alone'];

interface Props {
  /** Undefined: not known yet; the server decides all the same. */
  readonly alone: Alone | undefined;
  onDone(requested: Requested): void;
  onClose(): void;
}

/**
 * New cards. Their number, value and end are said before, and whether a second member has to approve them; their codes come out on the
 * server machine only.
 */
export function IssueBatch({ alone, onDone, onClose }: Props) {
  const [typed, setTyped] = useState({ count: '', usd: '', days: '', note: '' });
  const set = (field: keyof typeof typed) => (text: string) => setTyped((before) => ({ ...before, [field]: text }));
  const requested = useRef<Requested>(undefined);
  const count = parseAmount(typed.count);
  const cents = readCents(typed.usd);
  const hasEnd = typed.days.trim() !== '';
  const days = readDays(typed.days);
  const isCount = count >= 1 && count <= staffLimits.cards.most;
  const isEnd = !hasEnd || days >= 1;
  const isReady = isCount && !Number.isNaN(cents) && isEnd;
  const beyond = isReady && alone !== undefined && count * cents > alone.usd_cents ? alone : undefined;
  const end = hasEnd && isEnd ? endOfDayIn(days) : undefined;
  const act = async (reason: string, key: string) => {
    const expires = end === undefined ? {} : { expires: end };
    const body = { count, usd_cents: cents, note: typed.note.trim(), reason, ...expires };
    requested.current = (await api.issueCards({ body }, once(key))).data;
  };
  return (
    <ActDialog
      title={beyond ? m.console_cards_propose_title() : m.console_cards_issue()}
      effect={isReady ? effectOf({ count, cents, end, beyond }) : m.console_cards_sealed()}
      button={beyond ? m.console_cards_propose() : m.console_cards_issue()}
      isReady={isReady}
      act={act}
      onDone={() => {
        if (requested.current) onDone(requested.current);
      }}
      onClose={onClose}
    >
      {(work) => (
        <>
          <div className="c-two">
            <Field
              label={m.console_cards_count()}
              error={work.fields.count ?? wrong(typed.count, isCount, m.console_cards_count_wrong())}
              inputMode="numeric"
              dir="ltr"
              autoComplete="off"
              value={typed.count}
              onText={set('count')}
            />
            <Field
              label={m.console_cards_face()}
              error={work.fields.usd_cents ?? wrong(typed.usd, !Number.isNaN(cents), m.console_cards_face_wrong())}
              inputMode="decimal"
              dir="ltr"
              autoComplete="off"
              value={typed.usd}
              onText={set('usd')}
            />
          </div>
          <Field
            label={m.console_cards_days()}
            hint={m.console_cards_days_hint()}
            error={work.fields.expires ?? wrong(typed.days, isEnd, m.console_cards_days_wrong())}
            inputMode="numeric"
            dir="ltr"
            autoComplete="off"
            value={typed.days}
            onText={set('days')}
          />
          <Field
            label={m.console_cards_note()}
            hint={m.console_cards_note_hint()}
            error={work.fields.note}
            dir="auto"
            autoComplete="off"
            maxLength={staffLimits.cards.noteMost}
            value={typed.note}
            onText={set('note')}
          />
        </>
      )}
    </ActDialog>
  );
}

/** Nothing is wrong with a field that is still empty. */
function wrong(typed: string, isRight: boolean, sentence: string): string | undefined {
  return typed.trim() === '' || isRight ? undefined : sentence;
}

/** That it waits, and of one who is alone, how long. */
function waitOf({ usd_cents: left, hours }: Alone): string {
  const waits = m.console_cards_second({ amount: dollars(left) });
  return hours === null ? waits : `${waits} ${m.console_cards_alone({ hours: number(hours) })}`;
}

interface Batch {
  readonly count: number;
  readonly cents: number;
  readonly end: string | undefined;
  readonly beyond: Alone | undefined;
}

function effectOf({ count, cents, end, beyond }: Batch): string {
  const cards = { count: number(count), amount: dollars(cents), total: dollars(count * cents) };
  const wait = beyond ? `${waitOf(beyond)} ${m.console_cards_approved()} ` : '';
  const sentence =
    end === undefined ? m.console_cards_effect(cards) : m.console_cards_effect_until({ ...cards, date: date(end) });
  return `${wait}${sentence} ${m.console_cards_sealed()}`;
}
