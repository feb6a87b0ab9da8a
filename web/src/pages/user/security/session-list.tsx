import type { Session } from '@raha/contract/public/sessions.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { LogOut, Monitor, Smartphone } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { sessionsQuery } from '../../../api/queries.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { dateTime } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';

const EndOthersDialog = lazy(() => import('./end-others-dialog.tsx'));

const methods: Readonly<Record<Session['method'], () => string>> = {
  code: m.session_method_code,
  password: m.session_method_password,
  passkey: m.session_method_passkey,
  google: () => 'Google',
  github: () => 'GitHub',
};

/** Where the account is open, this browser first. */
export function SessionList() {
  const sessions = useQuery(sessionsQuery);
  const [asking, setAsking] = useState(false);
  if (sessions.isError && !sessions.data) {
    return (
      <FailureCard
        title={m.sessions_failed()}
        error={sessions.error}
        busy={sessions.isFetching}
        onRetry={() => void sessions.refetch()}
      />
    );
  }
  const list = sessions.data?.toSorted((a, b) => Number(b.current) - Number(a.current));
  return (
    <section aria-labelledby="sessions" className="panel p-4 sm:p-6">
      <h2 id="sessions" className="text-base font-bold">
        {m.sessions_heading()}
      </h2>
      {list ? (
        <ul className="mt-2 divide-y divide-line">
          {list.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      ) : (
        <SessionsSkeleton />
      )}
      {list?.length === 1 && <p className="text-sm text-text-2 pt-1">{m.sessions_only_this()}</p>}
      <p className="text-sm text-text-3 mt-3">{m.sessions_note()}</p>
      {list && list.length > 1 && (
        <Button className="btn btn-ghost btn-sm mt-4" onClick={() => setAsking(true)}>
          <LogOut className="size-4" aria-hidden />
          {m.sessions_end_others()}
        </Button>
      )}
      {asking && (
        <Suspense>
          <EndOthersDialog onClose={() => setAsking(false)} />
        </Suspense>
      )}
    </section>
  );
}

function SessionRow({ session }: { session: Session }) {
  const device = session.device || m.session_unknown();
  const Icon = /Android|iOS/.test(session.device) ? Smartphone : Monitor;
  return (
    <li className="flex flex-wrap sm:flex-nowrap items-center gap-x-4 gap-y-2 py-4">
      <span className="grid place-items-center size-11 shrink-0 rounded-md bg-surface-2 text-text-2">
        <Icon className="size-5" aria-hidden />
      </span>
      <div className="flex-1 min-w-48">
        <p className="flex flex-wrap items-center gap-x-2.5 font-bold">
          <bdi>{device}</bdi>
          {session.current && <span className="badge bg-success-soft text-success">{m.session_current()}</span>}
        </p>
        <p className="text-sm text-text-2">
          {m.session_opened({ method: methods[session.method](), when: dateTime(session.created_at) })}
        </p>
        <p className="text-sm text-text-3">{m.session_used({ when: dateTime(session.last_used_at) })}</p>
      </div>
      {!session.current && <EndButton id={session.id} device={device} />}
    </li>
  );
}

function EndButton({ id, device }: { id: string; device: string }) {
  const queries = useQueryClient();
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const end = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await api.endSession({ params: { id } });
      toast(m.session_ended());
    } catch (error) {
      toast(errorSentence(error), 'problem');
    } finally {
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      running.current = false;
      setBusy(false);
    }
  };
  return (
    <Button
      className="btn btn-ghost btn-sm max-sm:w-full"
      busy={busy}
      aria-label={m.session_end_of({ device })}
      onClick={() => void end()}
    >
      {m.session_end()}
    </Button>
  );
}

function SessionsSkeleton() {
  return (
    <div role="status" aria-label={m.loading()} className="grid gap-3 mt-4">
      <div className="skeleton h-20" />
      <div className="skeleton h-20" />
    </div>
  );
}
