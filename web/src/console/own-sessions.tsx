import { useState } from 'react';
import { dateTime } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { api } from './api.ts';
import { Problem } from './problem.tsx';
import { Reading } from './reading.tsx';
import { useAnswer } from './use-answer.ts';
import { useWork } from './use-work.ts';

/** The member's open sessions, and the way to end all but this one. */
export function OwnSessions() {
  const answer = useAnswer('sessions', async () => (await api.listStaffSessions()).data.sessions);
  const { data, reload } = answer;
  const [outcome, setOutcome] = useState('');
  const work = useWork();
  const end = async () => {
    await api.endOtherStaffSessions();
    setOutcome(m.console_sessions_ended());
    reload();
  };
  return (
    <section aria-labelledby="own-sessions">
      <h2 id="own-sessions" className="c-head">
        {m.console_sessions()}
      </h2>
      <Reading of={answer} outcome={outcome} />
      {data ? (
        <table className="c-table">
          <thead>
            <tr>
              <th scope="col">{m.console_sessions_begun()}</th>
              <th scope="col">{m.console_sessions_used()}</th>
            </tr>
          </thead>
          <tbody>
            {data.map(({ id, created_at, last_used_at, is_this }) => (
              <tr key={id}>
                <td>{dateTime(created_at)}</td>
                <td>{is_this ? m.console_sessions_this() : dateTime(last_used_at)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
      {data && data.length > 1 ? (
        <div className="c-buttons c-pages">
          <button type="button" className="c-button" disabled={work.isBusy} onClick={() => void work.run(end)}>
            {m.console_sessions_end()}
          </button>
        </div>
      ) : null}
      <Problem sentence={work.sentence} />
    </section>
  );
}
