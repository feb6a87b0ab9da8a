import type { PlanChange, StaffPlan } from '@raha/contract/admin/plans.ts';
import { parseAmount } from '@raha/contract/persian.ts';
import { useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { Preview } from './preview.tsx';
import { nameOf, orReload } from './words.ts';

interface Props {
  readonly plan: StaffPlan;
  onDone(sentence: string): void;
  onChangedMeanwhile(): void;
  onClose(): void;
}

type Showing = Pick<StaffPlan, 'name_fa' | 'name_en' | 'is_popular' | 'is_on' | 'position'>;
const fields = ['name_fa', 'name_en', 'is_popular', 'is_on', 'position'] as const satisfies readonly (keyof Showing)[];

/** Names, place, the mark, and whether it is sold: at once, and never planned. */
export function ChangeShowing({ plan, onDone, onChangedMeanwhile, onClose }: Props) {
  const [first] = useState(plan);
  const [draft, setDraft] = useState<Partial<Showing>>({});
  const [typedPosition, setTypedPosition] = useState<string>();
  const shown: Showing = {
    ...plan,
    ...draft,
    ...(typedPosition === undefined ? {} : { position: parseAmount(typedPosition) }),
  };
  const change = Object.fromEntries(
    fields.filter((field) => shown[field] !== plan[field]).map((field) => [field, shown[field]]),
  ) as PlanChange;
  const isFit = !Number.isNaN(shown.position) && shown.name_fa.trim() !== '' && shown.name_en.trim() !== '';
  return (
    <ActDialog
      title={m.console_plan_show_title({ plan: nameOf(plan) })}
      effect={effectOf(plan, shown)}
      button={m.console_plan_show()}
      isReady={isFit && Object.keys(change).length > 0}
      act={(reason) =>
        orReload(onChangedMeanwhile, () =>
          api.setPlan({ params: { id: plan.id }, body: { ...change, seen: plan.seen, reason } }),
        )
      }
      onDone={() => onDone(m.console_plan_changed())}
      onClose={onClose}
    >
      {(work) => (
        <>
          <ChangedMeanwhile first={first} plan={plan} />
          <div className="c-plan-fields">
            <Field
              label={m.console_plan_name_fa()}
              error={work.fields.name_fa}
              dir="rtl"
              autoComplete="off"
              value={shown.name_fa}
              onText={(text) => setDraft({ ...draft, name_fa: text })}
            />
            <Field
              label={m.console_plan_name_en()}
              error={work.fields.name_en}
              dir="ltr"
              autoComplete="off"
              value={shown.name_en}
              onText={(text) => setDraft({ ...draft, name_en: text })}
            />
            <Field
              label={m.console_plan_position()}
              hint={m.console_plan_position_hint()}
              error={work.fields.position}
              inputMode="numeric"
              dir="ltr"
              autoComplete="off"
              value={typedPosition ?? String(plan.position)}
              onText={setTypedPosition}
            />
          </div>
          <Check
            label={m.console_plan_sold_field()}
            isOn={shown.is_on}
            onChange={(isOn) => setDraft({ ...draft, is_on: isOn })}
          />
          <Check
            label={m.console_plan_popular_field()}
            isOn={shown.is_popular}
            onChange={(isOn) => setDraft({ ...draft, is_popular: isOn })}
          />
          <Preview name={nameOf(shown)} isPopular={shown.is_popular} terms={plan} />
        </>
      )}
    </ActDialog>
  );
}

function Check({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="c-check">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}

function effectOf(plan: StaffPlan, shown: Showing): string {
  if (plan.is_on && !shown.is_on) return m.console_plan_effect_off();
  if (!plan.is_on && shown.is_on) return m.console_plan_effect_on();
  return m.console_plan_effect_shown();
}
