import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { User } from '@raha/contract/public/auth.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery } from '@tanstack/react-query';
import { BookOpen, Check, FileDown, LifeBuoy, MailCheck, Store } from 'lucide-react';
import type { ReactNode } from 'react';
import { now } from '../../../api/clock.ts';
import { storesQuery } from '../../../api/queries.ts';
import { hasService } from '../../../api/session.ts';
import { CountStar } from '../../../components/tile-star.tsx';
import { Link } from '../../../routes/link.tsx';
import { number, toman } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { Button } from '../../../ui/button.tsx';
import type { OpenDialog } from '../configs/open-dialog.ts';
import { decideSteps, type Step, type StepName } from './decide-steps.ts';
import { DeviceStep } from './device-step.tsx';

interface FirstStepsProps {
  me: User;
  configs: readonly Config[];
  onDialog(dialog: OpenDialog): void;
}

const titles: Record<StepName, () => string> = {
  email: m.first_email,
  card: m.first_card,
  device: m.first_device,
  connected: m.first_connected,
};

/** In place of an empty dashboard: what is left until the first connection, and the one thing that can be done now. */
export function FirstSteps({ me, configs, onDialog }: FirstStepsProps) {
  const latest = configs.find(({ status }) => status !== 'expired');
  const steps = decideSteps({
    email: me.isEmailVerified,
    service: hasService(me, now()),
    isActivated: me.isActivated,
    config: latest !== undefined,
  });
  const done = steps.filter(({ state }) => state === 'done').length;
  const left = steps.length - done;
  // Two tiles are a step of four; with a step less the star begins with two lit.
  const lit = (4 - left) * 2;
  return (
    <section aria-labelledby="first-steps" data-testid="first-steps" className="panel p-5 sm:p-7">
      <header className="flex items-center gap-4 mb-6">
        <CountStar lit={lit} className="size-19 shrink-0">
          {number(done)}
        </CountStar>
        <div className="min-w-0" role="status">
          <h2 id="first-steps" className="text-xl sm:text-2xl font-black">
            {left > 1 ? m.first_left({ count: number(left) }) : m.first_left_one()}
          </h2>
          <p className="text-sm text-text-2 mt-0.5">{me.isActivated ? m.first_activated() : m.first_text()}</p>
        </div>
      </header>
      <ol>
        {steps.map((step, index) => (
          <StepRow key={step.name} step={step} position={index + 1}>
            {step.name === 'email' && <EmailStep me={me} state={step.state} />}
            {step.name === 'card' && <CardStep me={me} state={step.state} />}
            {step.name === 'device' && step.state === 'lit' && (
              <DeviceStep me={me} configs={configs} onDialog={onDialog} />
            )}
            {step.name === 'device' && step.state === 'done' && latest && (
              <Done>
                <bdi>{latest.name}</bdi>
              </Done>
            )}
            {step.name === 'connected' && step.state === 'lit' && latest && (
              <>
                <p className="text-sm text-text-2">{m.first_connected_text()}</p>
                <Button
                  className="btn btn-primary w-full sm:max-w-[26rem] mt-3"
                  onClick={() => onDialog({ kind: 'file', config: latest })}
                >
                  <FileDown className="size-5" aria-hidden />
                  {m.first_file()}
                </Button>
              </>
            )}
          </StepRow>
        ))}
      </ol>
    </section>
  );
}

const dots: Record<Step['state'], string> = {
  done: 'bg-accent-soft text-accent',
  lit: 'bg-primary text-on-primary ring-4 ring-primary/15',
  quiet: 'bg-surface-2 text-text-3',
};

function StepRow({ step, position, children }: { step: Step; position: number; children: ReactNode }) {
  const { name, state } = step;
  return (
    <li
      aria-current={state === 'lit' ? 'step' : undefined}
      className={`relative grid grid-cols-[2rem_1fr] gap-x-3.5 pb-5 last:pb-0 before:absolute before:start-[15px] before:top-9 before:-bottom-0.5 before:w-0.5 last:before:hidden ${state === 'done' ? 'before:bg-chart' : 'before:bg-line'}`}
    >
      <span className={`grid place-items-center size-8 rounded-full text-sm font-extrabold ${dots[state]}`} aria-hidden>
        {state === 'done' ? <Check className="size-4" strokeWidth={3} /> : number(position)}
      </span>
      <div className="min-w-0">
        <h3 className={`leading-8 ${state === 'quiet' ? 'font-semibold text-text-3' : 'font-bold'}`}>
          {titles[name]()}
          {state === 'done' && <span className="sr-only"> {m.first_done()}</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}

function Done({ children }: { children: ReactNode }) {
  return <p className="text-sm text-text-3 [overflow-wrap:anywhere]">{children}</p>;
}

function EmailStep({ me, state }: { me: User; state: Step['state'] }) {
  const address = (
    <Done>
      <bdi dir="ltr">{me.email}</bdi>
    </Done>
  );
  if (state === 'done') return address;
  return (
    <>
      {address}
      <Link to={paths.verifyEmail} state={{ email: me.email }} className="btn btn-primary w-full sm:max-w-[26rem] mt-2">
        <MailCheck className="size-5" aria-hidden />
        {m.verify_email()}
      </Link>
    </>
  );
}

function CardStep({ me, state }: { me: User; state: Step['state'] }) {
  const stores = useQuery({ ...storesQuery, enabled: state === 'lit' });
  if (state === 'done') return <Done>{m.first_card_done({ amount: toman(me.balance) })}</Done>;
  if (state === 'quiet') return null;
  const hasStores = stores.data?.length !== 0;
  return (
    <>
      <p className="text-sm text-text-2">{m.first_card_text()}</p>
      <div className="grid gap-2 mt-3 sm:max-w-[26rem]">
        {hasStores && (
          <Link to={paths.activation} hash="stores" className="btn btn-primary">
            <Store className="size-5" aria-hidden />
            {m.first_buy_card()}
          </Link>
        )}
        <Link to={paths.activation} hash="gift" className={`btn ${hasStores ? 'btn-ghost' : 'btn-primary'}`}>
          {m.first_have_card()}
        </Link>
      </div>
      {hasStores && <p className="text-sm text-text-3 mt-2">{m.first_card_return()}</p>}
    </>
  );
}

/** Where to turn when a step does not work. */
export function HelpCard() {
  const site = currentLocale() === 'fa' ? '' : '/en';
  const link = 'inline-flex items-center gap-2 min-h-11 font-semibold text-accent';
  return (
    <section aria-labelledby="first-help" className="panel p-5 sm:p-6">
      <h2 id="first-help" className="text-base font-bold">
        {m.first_help()}
      </h2>
      <p className="text-sm text-text-2 mt-1">{m.first_help_text()}</p>
      <p className="flex flex-wrap gap-x-5 mt-2">
        <a href={`${site}/guides`} className={link}>
          <BookOpen className="size-5" aria-hidden />
          {m.first_guides()}
        </a>
        <a href={`${site}/support`} className={link}>
          <LifeBuoy className="size-5" aria-hidden />
          {m.first_support()}
        </a>
      </p>
    </section>
  );
}
