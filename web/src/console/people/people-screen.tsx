import type { UserLine } from '@raha/contract/admin/people.ts';
import { useEffect, useState } from 'react';
import { date, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { SEARCH_FIELD } from '../keys.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { UserScreen } from './user-screen.tsx';
import { foundBy, shownName, statusNames } from './words.ts';

/** The list of people, and one of them at an address of their own. */
export function PeopleScreen(props: ScreenProps) {
  const id = useAddress().path.split('/')[3];
  return id === undefined ? <PeopleList /> : <UserScreen key={id} id={id} {...props} />;
}

interface Asked {
  readonly text: string;
  readonly before?: string;
}

/** What was asked last, so that going back shows it again. In memory only: addresses and numbers belong in no address bar. */
let lastAsked: Asked = { text: '' };

function PeopleList() {
  const [asked, setAsked] = useState(lastAsked);
  const [draft, setDraft] = useState(asked.text);
  const answer = useAnswer(JSON.stringify(asked), async () => {
    const { text, before } = asked;
    return (await api.searchPeople({ body: { ...(text === '' ? {} : { text }), ...(before ? { before } : {}) } })).data;
  });
  const { data, isLoading } = answer;
  useEffect(() => {
    const field = document.getElementById(SEARCH_FIELD);
    if (field instanceof HTMLInputElement) field.select();
  }, []);
  const ask = (next: Asked) => {
    lastAsked = next;
    setAsked(next);
  };
  const isNobody = data?.people.length === 0;
  return (
    <>
      <Lead
        title={data ? leadOf(data.people.length, data.next !== null, asked) : m.console_people()}
        {...(isNobody ? { text: m.console_people_none_text() } : {})}
      />
      <search aria-label={m.console_people_search()}>
        <form
          className="c-search"
          onSubmit={(event) => {
            event.preventDefault();
            ask({ text: draft.trim() });
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
            {asked.text === '' ? null : (
              <button
                type="button"
                className="c-button"
                onClick={() => {
                  setDraft('');
                  ask({ text: '' });
                }}
              >
                {m.console_people_clear()}
              </button>
            )}
          </div>
        </form>
      </search>
      <Reading of={answer} />
      {data && !isNobody ? <PeopleTable people={data.people} isOld={isLoading} isFound={asked.text !== ''} /> : null}
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

function leadOf(found: number, isMore: boolean, { text, before }: Asked): string {
  if (found === 0) return m.console_people_none();
  const count = number(found);
  if (text === '') return m.console_people_lead({ count });
  return isMore || before ? m.console_people_found_more({ count }) : m.console_people_found({ count });
}

interface TableProps {
  readonly people: readonly UserLine[];
  readonly isOld: boolean;
  readonly isFound: boolean;
}

function PeopleTable({ people, isOld, isFound }: TableProps) {
  return (
    <table className="c-table c-people" aria-busy={isOld}>
      <thead>
        <tr>
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
          <tr key={line.id}>
            <td>
              <Link to={`/admin/people/${line.id}`} className="c-link">
                {shownName(line)}
              </Link>
            </td>
            <td>
              <bdi dir="ltr">{line.email}</bdi>
            </td>
            <td>{line.phone === null ? '–' : <bdi dir="ltr">{line.phone}</bdi>}</td>
            <td className={line.status === 'active' ? 'c-quiet' : ''}>{statusNames[line.status]()}</td>
            <td className="c-number">{number(line.balance)}</td>
            <td>{line.found_by === null ? date(line.joined_at) : foundBy[line.found_by]()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
