import type { PeopleFilter, UserLine } from '@raha/contract/admin/people.ts';
import { useEffect, useState } from 'react';
import { date, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { SEARCH_FIELD, useActKeys } from '../keys.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { LongWord } from '../long-word.tsx';
import { goTo, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { isFiltered, PeopleFilters, readFilter } from './people-filters.tsx';
import { actsOf, PickedPeople } from './pick-people.tsx';
import { UserScreen } from './user-screen.tsx';
import { foundBy, shownName, statusNames } from './words.ts';

/** The list of people, and one of them at an address of their own. */
export function PeopleScreen(props: ScreenProps) {
  const id = useAddress().path.split('/')[3];
  return id === undefined ? <PeopleList {...props} /> : <UserScreen key={id} id={id} {...props} />;
}

interface Asked {
  readonly text: string;
  readonly before?: string;
}

/** What was asked last, so that going back shows it again. In memory only: addresses and numbers belong in no address bar. */
let lastAsked: Asked = { text: '' };

function PeopleList({ self }: ScreenProps) {
  const filter = readFilter(useAddress().query);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState(lastAsked);
  const answer = useAnswer(JSON.stringify([asked, filter]), async () => {
    const { text, before } = asked;
    return (
      await api.searchPeople({ body: { ...filter, ...(text === '' ? {} : { text }), ...(before ? { before } : {}) } })
    ).data;
  });
  const { data, isLoading } = answer;
  const ask = (next: Asked) => {
    lastAsked = next;
    setAsked(next);
  };
  const show = ({ state, server }: PeopleFilter) => {
    const query = new URLSearchParams({ ...(state ? { state } : {}), ...(server ? { server } : {}) }).toString();
    ask({ text: asked.text });
    goTo(`/admin/people${query === '' ? '' : `?${query}`}`);
  };
  const isNobody = data?.people.length === 0;
  const isPicking = actsOf(self.role).length > 0;
  const pick = (id: string) => setPicked((before) => toggled(before, id));
  useActKeys({ KeyX: () => isPicking && focusedRow(data?.people, pick) });
  return (
    <>
      <Lead
        title={data ? leadOf(data.people.length, data.next !== null, asked, filter) : m.console_people()}
        {...(isNobody && asked.text !== '' ? { text: m.console_people_none_text() } : {})}
      />
      <search aria-label={m.console_people_search()}>
        <SearchForm text={asked.text} onAsk={(text) => ask({ text })} />
        <PeopleFilters filter={filter} onShow={show} />
      </search>
      {isPicking ? (
        <PickedPeople
          role={self.role}
          picked={picked}
          filter={filter}
          isSearched={asked.text !== ''}
          onClear={() => setPicked(new Set())}
        />
      ) : null}
      <Reading of={answer} />
      {data && !isNobody ? (
        <PeopleTable
          people={data.people}
          isOld={isLoading}
          isFound={asked.text !== ''}
          {...(isPicking ? { picked, onPick: pick } : {})}
        />
      ) : null}
      <div className="c-buttons c-pages">
        {asked.before ? (
          <button type="button" className="c-button" onClick={() => ask({ text: asked.text })}>
            {m.console_people_first()}
          </button>
        ) : null}
        {data?.next ? (
          <button
            type="button"
            className="c-button"
            onClick={() => ask({ text: asked.text, before: data.next as string })}
          >
            {m.console_people_next()}
          </button>
        ) : null}
      </div>
    </>
  );
}

/** The field is there to be typed into as soon as the screen opens. */
function SearchForm({ text, onAsk }: { text: string; onAsk: (text: string) => void }) {
  const [draft, setDraft] = useState(text);
  useEffect(() => {
    const field = document.getElementById(SEARCH_FIELD);
    if (field instanceof HTMLInputElement) field.select();
  }, []);
  return (
    <form
      className="c-search"
      onSubmit={(event) => {
        event.preventDefault();
        onAsk(draft.trim());
      }}
    >
      <Field
        id={SEARCH_FIELD}
        label={m.console_people_search()}
        hint={m.console_people_hint()}
        type="search"
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={draft}
        onText={setDraft}
      />
      <div className="c-buttons">
        <button type="submit" className="c-button c-main">
          {m.console_people_find()}
        </button>
        {text === '' ? null : (
          <button
            type="button"
            className="c-button"
            onClick={() => {
              setDraft('');
              onAsk('');
            }}
          >
            {m.console_people_clear()}
          </button>
        )}
      </div>
    </form>
  );
}

function leadOf(found: number, isMore: boolean, { text, before }: Asked, filter: PeopleFilter): string {
  if (found === 0) return m.console_people_none();
  const count = number(found);
  if (text === '' && !isFiltered(filter)) return m.console_people_lead({ count });
  return isMore || before ? m.console_people_found_more({ count }) : m.console_people_found({ count });
}

function toggled(picked: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const others = new Set(picked);
  if (!others.delete(id)) others.add(id);
  return others;
}

/** The row in which the keyboard is. */
function focusedRow(people: readonly UserLine[] | undefined, pick: (id: string) => void): void {
  const rows = [...document.querySelectorAll('.c-people tbody tr')];
  const line = people?.[rows.findIndex((row) => row.contains(document.activeElement))];
  if (line) pick(line.id);
}

interface TableProps {
  readonly people: readonly UserLine[];
  readonly isOld: boolean;
  readonly isFound: boolean;
  /** Of roles that can do something for many. */
  readonly picked?: ReadonlySet<string>;
  readonly onPick?: (id: string) => void;
}

function PeopleTable({ people, isOld, isFound, picked, onPick }: TableProps) {
  return (
    <table className="c-table c-people" aria-busy={isOld}>
      <thead>
        <tr>
          {onPick ? (
            <th scope="col" className="c-tick">
              {m.console_pick()}
            </th>
          ) : null}
          <th scope="col">{m.console_user_name()}</th>
          <th scope="col">{m.console_email()}</th>
          <th scope="col">{m.console_user_phone()}</th>
          <th scope="col">{m.console_user_state()}</th>
          <th scope="col" className="c-number">
            {m.console_user_balance()}
          </th>
          <th scope="col">{isFound ? m.console_user_by() : m.console_user_joined()}</th>
        </tr>
      </thead>
      <tbody>
        {people.map((line) => (
          <tr key={line.id} aria-selected={picked?.has(line.id)}>
            {onPick ? (
              <td className="c-tick">
                <label>
                  <input
                    type="checkbox"
                    aria-label={m.console_pick_one({ name: shownName(line) })}
                    aria-keyshortcuts="X"
                    checked={picked?.has(line.id) ?? false}
                    onChange={() => onPick(line.id)}
                  />
                </label>
              </td>
            ) : null}
            <td>
              <Link to={`/admin/people/${line.id}`} className="c-link">
                {shownName(line)}
              </Link>
            </td>
            <td>
              <LongWord word={line.email} />
            </td>
            <td data-label={m.console_user_phone()}>{line.phone === null ? '–' : <bdi dir="ltr">{line.phone}</bdi>}</td>
            <td className={line.status === 'active' ? 'c-quiet' : ''}>{statusNames[line.status]()}</td>
            <td className="c-number" data-label={m.console_user_balance()}>
              {number(line.balance)}
            </td>
            <td>{line.found_by === null ? date(line.joined_at) : foundBy[line.found_by]()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
