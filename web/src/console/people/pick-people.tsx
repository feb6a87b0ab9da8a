import { type BulkAct, type BulkWhom, bulkPermissions } from '@raha/contract/admin/bulk.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { PeopleFilter } from '@raha/contract/admin/people.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { actEffects, actNames, ofPeople } from '../bulks/words.ts';
import { goTo } from '../path.ts';
import { Problem } from '../problem.tsx';
import { useWork } from '../use-work.ts';
import { CreditPeople } from './credit-people.tsx';
import { once } from './money-acts.tsx';
import { isFiltered } from './people-filters.tsx';

const acts: readonly BulkAct[] = ['suspend', 'reopen', 'end_sessions', 'credit'];

export function actsOf(role: StaffRole): readonly BulkAct[] {
  return acts.filter((act) => isPermitted(role, bulkPermissions[act]));
}

interface Props {
  readonly role: StaffRole;
  readonly picked: ReadonlySet<string>;
  readonly filter: PeopleFilter;
  /** A list that was searched by a text is not kept with an order: only its people one by one. */
  readonly isSearched: boolean;
  onClear(): void;
}

/** Who is picked, one by one or all who fit the filter, and what can be done for all of them. */
export function PickedPeople({ role, picked, filter, isSearched, onClear }: Props) {
  const [all, setAll] = useState<{ readonly key: string; readonly count: number; readonly more: boolean }>();
  const [act, setAct] = useState<BulkAct>();
  const counting = useWork();
  const key = JSON.stringify(filter);
  const counted = all?.key === key ? all : undefined;
  const mayTakeAll = isFiltered(filter) && !isSearched;
  if (picked.size === 0 && !mayTakeAll) return null;
  const isAll = picked.size === 0 && counted !== undefined;
  const count = isAll ? counted.count : picked.size;
  const isTooMany = picked.size > staffLimits.bulk.picked || (isAll && counted.more);
  const whom: BulkWhom = isAll ? { filter, count } : { ids: [...picked] };
  const takeAll = async () => setAll({ key, ...(await api.countPeople({ query: filter })).data });
  return (
    <div className="c-picked">
      <p role="status">{pickedText({ count, isAll, isMore: isAll && counted.more })}</p>
      <div className="c-buttons">
        {count > 0 && !isTooMany
          ? actsOf(role).map((name) => (
              <button key={name} type="button" className="c-button" onClick={() => setAct(name)}>
                {actNames[name]()}
              </button>
            ))
          : null}
        {picked.size === 0 && counted === undefined ? (
          <button type="button" className="c-button" onClick={() => void counting.run(takeAll)}>
            {m.console_pick_all()}
          </button>
        ) : (
          <button
            type="button"
            className="c-link"
            onClick={() => {
              setAll(undefined);
              onClear();
            }}
          >
            {m.console_pick_none()}
          </button>
        )}
      </div>
      <Problem sentence={counting.sentence} />
      {act === 'credit' ? <CreditPeople whom={whom} count={count} onClose={() => setAct(undefined)} /> : null}
      {act && act !== 'credit' ? (
        <OrderBulk act={act} whom={whom} count={count} onClose={() => setAct(undefined)} />
      ) : null}
    </div>
  );
}

function pickedText({ count, isAll, isMore }: { count: number; isAll: boolean; isMore: boolean }): string {
  if (isMore) return m.console_pick_too_many({ most: number(staffLimits.bulk.most) });
  if (isAll) return count === 0 ? m.console_pick_nobody() : m.console_pick_fit({ count: number(count) });
  if (count > staffLimits.bulk.picked) return m.console_pick_too_many({ most: number(staffLimits.bulk.picked) });
  return count === 0 ? m.console_pick_hint() : m.console_picked({ count: number(count) });
}

interface OrderProps {
  readonly act: Exclude<BulkAct, 'credit'>;
  readonly whom: BulkWhom;
  readonly count: number;
  onClose(): void;
}

function OrderBulk({ act, whom, count, onClose }: OrderProps) {
  const minutes = number(staffLimits.bulk.planSeconds / 60);
  const order = async (reason: string, key: string) => {
    const { data } =
      act === 'end_sessions'
        ? await api.endSessionsOfPeople({ body: { whom, reason } }, once(key))
        : await api.suspendPeople({ body: { act, whom, reason } }, once(key));
    goTo(`/admin/bulks/${data.id}`);
  };
  return (
    <ActDialog
      title={ofPeople(act, count)}
      effect={`${actEffects[act]()} ${m.console_bulk_begins({ minutes })}`}
      button={m.console_bulk_order()}
      act={order}
      onDone={onClose}
      onClose={onClose}
    />
  );
}
