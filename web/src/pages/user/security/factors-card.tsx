import type { FactorList, Passkey } from '@raha/contract/public/factors.ts';
import type { Profile } from '@raha/contract/public/profile.ts';
import { useQuery } from '@tanstack/react-query';
import { Fingerprint, KeyRound, ListChecks, Smartphone } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { passkeyObstacle } from '../../../api/passkey.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { dateTime, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { factorsQuery } from '../profile/profile-api.ts';
import type { FactorAction } from './factor-action.ts';
import { PasskeyRow } from './passkey-row.tsx';

const FactorDialogs = lazy(() => import('./factor-dialogs.tsx'));

/** Passkeys, the authenticator app and recovery codes of the account. */
export function FactorsCard({ profile }: { profile: Profile }) {
  const factors = useQuery(factorsQuery);
  const [action, setAction] = useState<FactorAction>();
  if (factors.isError && !factors.data) {
    return (
      <FailureCard
        title={m.factors_failed()}
        error={factors.error}
        busy={factors.isFetching}
        onRetry={() => void factors.refetch()}
      />
    );
  }
  return (
    <section aria-labelledby="factors" className="panel p-4 sm:p-6">
      <h2 id="factors" className="text-base font-bold">
        {m.factors_heading()}
      </h2>
      <p className="text-sm text-text-2 mt-1">{m.factors_text()}</p>
      {factors.data ? <Factors factors={factors.data} onAction={setAction} /> : <FactorsSkeleton />}
      {action && (
        <Suspense>
          <FactorDialogs action={action} profile={profile} onClose={() => setAction(undefined)} />
        </Suspense>
      )}
    </section>
  );
}

function Factors({ factors, onAction }: { factors: FactorList; onAction(action: FactorAction): void }) {
  const { totp, passkeys, recovery_codes_left } = factors;
  const hasSecondStep = totp !== null || passkeys.some(({ second_step }) => second_step);
  return (
    <>
      <Passkeys factors={factors} onAction={onAction} />
      <ul className="mt-2 border-t border-line divide-y divide-line">
        <Row
          icon={<Smartphone className="size-5" aria-hidden />}
          title={m.totp_heading()}
          text={totp ? m.totp_on_text({ when: dateTime(totp.created_at) }) : m.totp_off_text()}
        >
          {totp ? (
            <Button className="btn btn-ghost btn-sm" onClick={() => onAction({ kind: 'remove-totp' })}>
              {m.totp_remove()}
            </Button>
          ) : (
            <Button className="btn btn-ghost btn-sm" onClick={() => onAction({ kind: 'add-totp' })}>
              {m.totp_set_up()}
            </Button>
          )}
        </Row>
        <Row
          icon={<ListChecks className="size-5" aria-hidden />}
          title={m.recovery_heading()}
          text={hasSecondStep ? m.recovery_left({ count: number(recovery_codes_left) }) : m.recovery_none()}
        >
          {hasSecondStep && (
            <Button className="btn btn-ghost btn-sm" onClick={() => onAction({ kind: 'renew-codes' })}>
              {m.recovery_renew()}
            </Button>
          )}
        </Row>
      </ul>
    </>
  );
}

function Passkeys({ factors, onAction }: { factors: FactorList; onAction(action: FactorAction): void }) {
  const obstacle = obstacleSentence(factors);
  return (
    <>
      <h3 className="flex items-center gap-2 mt-5 font-bold">
        <KeyRound className="size-4 text-text-2" aria-hidden />
        {m.passkeys_heading()}
      </h3>
      {factors.passkeys.length === 0 ? (
        <p className="text-sm text-text-2 mt-1">{m.passkeys_empty()}</p>
      ) : (
        <ul className="mt-1 divide-y divide-line">
          {factors.passkeys.map((passkey: Passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} onAction={onAction} />
          ))}
        </ul>
      )}
      {obstacle ? (
        <p className="text-sm text-text-2 my-3 rounded-md bg-surface-2 px-4 py-3">{obstacle}</p>
      ) : (
        <Button className="btn btn-ghost btn-sm my-3" onClick={() => onAction({ kind: 'add-passkey' })}>
          <Fingerprint className="size-4" aria-hidden />
          {m.passkey_add()}
        </Button>
      )}
    </>
  );
}

/** Why no passkey can be made here, in one sentence; undefined: nothing is in the way. */
function obstacleSentence({ passkey_host: host }: FactorList): string | undefined {
  if (host === null) return m.passkey_no_address();
  if (passkeyObstacle() === 'address' || location.hostname !== host) {
    const port = location.port ? `:${location.port}` : '';
    return m.passkey_wrong_address({ host: `\u2066${host}${port}\u2069` });
  }
  return passkeyObstacle() ? m.passkey_no_browser() : undefined;
}

function Row({ icon, title, text, children }: { icon: ReactNode; title: string; text: string; children: ReactNode }) {
  return (
    <li className="flex flex-wrap sm:flex-nowrap items-center gap-x-4 gap-y-3 py-4">
      <span className="grid place-items-center size-11 shrink-0 rounded-md bg-surface-2 text-text-2">{icon}</span>
      <div className="flex-1 min-w-48">
        <p className="font-bold">{title}</p>
        <p className="text-sm text-text-2">{text}</p>
      </div>
      {children}
    </li>
  );
}

function FactorsSkeleton() {
  return (
    <div role="status" aria-label={m.loading()} className="grid gap-3 mt-4">
      <div className="skeleton h-20" />
      <div className="skeleton h-20" />
    </div>
  );
}
