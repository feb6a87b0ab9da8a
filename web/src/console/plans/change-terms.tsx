import type { StaffPlan } from '@raha/contract/admin/plans.ts';
import { useRef, useState } from 'react';
import { now } from '../../api/clock.ts';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { atOnceOf, inTime, type Second, waitOf } from '../approvals/second.ts';
import { Field } from '../field.tsx';
import { goTo } from '../path.ts';
import type { Work } from '../use-work.ts';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { changeOf, type Draft, differing, readDraft, type TermField, type Terms, termFields, textOf } from './draft.ts';
import { readMoment, typedOf } from './moment.ts';
import { Preview } from './preview.tsx';
import { fieldNames, nameOf, orReload, stepOf } from './words.ts';

interface Props {
  readonly plan: StaffPlan;
  readonly second: Second;
  onDone(sentence: string): void;
  onChangedMeanwhile(): void;
  onClose(): void;
}

const DAY_MS = 86_400_000;
const hints: Partial<Record<TermField, () => string>> = {
  original_price: m.console_plan_original_hint,
  traffic_gb: m.console_plan_traffic_hint,
  max_mbit: m.console_plan_speed_hint,
};

/**
 * Other terms, from now or from a moment on, with what buyers will see. What somebody else changed while the form was open is shown, and
 * becomes the value of the fields that were not touched.
 */
export function ChangeTerms({ plan, second, onDone, onChangedMeanwhile, onClose }: Props) {
  const [first] = useState(plan);
  const [draft, setDraft] = useState<Draft>({});
  const [isLater, setLater] = useState(false);
  // Tomorrow, at this minute.
  const [moment, setMoment] = useState(() => typedOf(now() + DAY_MS, currentLocale() === 'fa'));
  const outcome = useRef<'done' | 'proposed'>('done');
  const isPlanned = plan.versions.some(({ state }) => state === 'planned');
  const after = readDraft(plan, draft);
  const from = isLater ? readMoment(moment) : undefined;
  const isOther = after !== undefined && differing(plan, after).length > 0;
  const act = async (reason: string) => {
    if (!after) return;
    const when = from ? { from: from.toISOString() } : {};
    const body = { ...changeOf(plan, after), ...when, seen: plan.seen, reason };
    await orReload(onChangedMeanwhile, async () => {
      outcome.current = (await api.setPlan({ params: { id: plan.id }, body })).data.outcome;
    });
  };
  const name = { plan: nameOf(plan) };
  const effect = [waitOf(second), ...(isOther ? [effectOf(plan, after, second, { isLater, from })] : [])];
  return (
    <ActDialog
      title={second ? m.console_plan_propose_title(name) : m.console_plan_change_title(name)}
      effect={[...effect, m.console_plan_keeps()].join(' ').trim()}
      button={second ? m.console_cards_propose() : isLater ? m.console_plan_schedule() : m.console_plan_change()}
      isReady={isOther && (!isLater || from !== undefined)}
      act={act}
      onDone={() => {
        if (outcome.current === 'proposed') goTo('/admin/corrections');
        else onDone(isLater ? m.console_price_planned_outcome() : m.console_plan_changed());
      }}
      onClose={onClose}
    >
      {(work) => (
        <>
          <ChangedMeanwhile first={first} plan={plan} />
          <TermsFields plan={plan} draft={draft} work={work} onDraft={setDraft} />
          <fieldset className="c-pick">
            <legend>{m.console_price_when()}</legend>
            <label>
              <input type="radio" name="when" checked={!isLater} onChange={() => setLater(false)} />
              {atOnceOf(second)}
            </label>
            <label>
              <input type="radio" name="when" checked={isLater} disabled={isPlanned} onChange={() => setLater(true)} />
              {m.console_plan_at_moment()}
            </label>
          </fieldset>
          {isPlanned ? <p className="c-hint">{m.console_price_one_planned()}</p> : null}
          {isLater ? <MomentFields moment={moment} isWrong={from === undefined} onMoment={setMoment} /> : null}
          {after ? <Preview name={nameOf(plan)} isPopular={plan.is_popular} terms={after} /> : null}
        </>
      )}
    </ActDialog>
  );
}

interface FieldsProps {
  readonly plan: Terms;
  readonly draft: Draft;
  readonly work: Work;
  onDraft(draft: Draft): void;
}

function TermsFields({ plan, draft, work, onDraft }: FieldsProps) {
  return (
    <div className="c-plan-fields">
      {termFields.map((field) => (
        <Field
          key={field}
          label={fieldNames[field]()}
          hint={hints[field]?.()}
          error={work.fields[field]}
          inputMode="numeric"
          dir="ltr"
          autoComplete="off"
          value={draft[field] ?? shownOf(plan, field)}
          onText={(text) => onDraft({ ...draft, [field]: text })}
        />
      ))}
    </div>
  );
}

/** In the digits of the language, which `parseAmount` reads as well. */
function shownOf(terms: Terms, field: TermField): string {
  const text = textOf(terms, field);
  return text === '' ? '' : number(Number(text));
}

interface MomentProps {
  readonly moment: { readonly day: string; readonly time: string };
  readonly isWrong: boolean;
  onMoment(moment: { readonly day: string; readonly time: string }): void;
}

function MomentFields({ moment, isWrong, onMoment }: MomentProps) {
  return (
    <div className="c-plan-fields">
      <Field
        label={m.console_plan_moment_day()}
        error={isWrong ? m.console_plan_no_moment() : undefined}
        dir="ltr"
        autoComplete="off"
        value={moment.day}
        onText={(day) => onMoment({ ...moment, day })}
      />
      <Field
        label={m.console_plan_moment_time()}
        dir="ltr"
        autoComplete="off"
        value={moment.time}
        onText={(time) => onMoment({ ...moment, time })}
      />
    </div>
  );
}

interface When {
  readonly isLater: boolean;
  readonly from: Date | undefined;
}

function effectOf(plan: StaffPlan, after: Terms, second: Second, { isLater, from }: When): string {
  const steps = differing(plan, after)
    .map((field) => stepOf(plan, after, field))
    .join(m.console_plan_and());
  if (!isLater) return second ? m.console_plan_effect_approved({ steps }) : m.console_plan_effect_now({ steps });
  const step = { steps, date: from ? dateTime(from.toISOString()) : '–' };
  return second ? m.console_plan_effect_in_time({ ...step, ...inTime() }) : m.console_plan_effect_later(step);
}
