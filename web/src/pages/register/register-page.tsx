import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { CreditCard, EyeOff, Gift, LockKeyhole, Mail } from 'lucide-react';
import { useTitle } from '../../components/use-title.ts';
import { Link } from '../../routes/link.tsx';
import { number, toman } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { freeTrialTerms, packagePrice, passwordlessTrialDays, passwordTrialDays } from '../../text/site-values.ts';
import { AuthLayout } from '../auth/shared/auth-layout.tsx';
import { SocialButtons } from '../auth/shared/social-buttons.tsx';
import { StepCard } from '../auth/shared/step-card.tsx';
import { RegisterForm } from './register-form.tsx';

export default function RegisterPage() {
  useTitle(m.register_title());
  const free = passwordTrialDays();
  const days = number(free);
  const usual = packagePrice();
  return (
    <AuthLayout>
      <StepCard title={m.register_title()} text={m.register_text()}>
        <ShortWay />
        <Badges />
        {free > 0 && (
          <div className="flex items-start gap-3 rounded-md bg-accent-soft px-4 py-3 mb-5 text-sm">
            <Gift className="size-5 shrink-0 mt-0.5 text-accent" aria-hidden />
            <p>
              <b className="block">{m.register_offer({ days, terms: freeTrialTerms() })}</b>
              {usual && m.register_offer_price({ days, price: toman(usual.toman) })}
              {usual?.isSample && <span className="badge bg-surface-2 text-text-2 ms-2">{m.sample()}</span>}
            </p>
          </div>
        )}
        <RegisterForm />
        <SocialButtons />
        <p className="mt-4 text-sm text-text-2">
          {m.have_account()}{' '}
          <Link to={paths.signIn} className="font-bold text-accent hover:underline underline-offset-4">
            {m.without_password()}
          </Link>
        </p>
      </StepCard>
    </AuthLayout>
  );
}

/** Most people want the way without a password: fewer fields, and often more free days. */
function ShortWay() {
  const free = passwordlessTrialDays();
  return (
    <section aria-labelledby="short-way" className="rounded-md bg-surface-2 px-4 py-4 mb-6">
      <h2 id="short-way" className="font-bold">
        {m.short_way_title()}
      </h2>
      <p className="text-sm text-text-2 mt-1">
        {m.short_way_text()} {free > 0 && m.short_way_days({ days: number(free), terms: freeTrialTerms() })}
      </p>
      <Link to={paths.signIn} className="btn btn-ghost w-full mt-3">
        <Mail className="size-5" aria-hidden />
        {m.start_with_email()}
      </Link>
    </section>
  );
}

function Badges() {
  const badges = [
    [CreditCard, m.register_badge_1()],
    [EyeOff, m.register_badge_2()],
    [LockKeyhole, m.register_badge_3()],
  ] as const;
  return (
    <ul className="flex flex-wrap gap-2 mb-4">
      {badges.map(([Icon, text]) => (
        <li key={text} className="badge bg-surface-2 text-text-2 !font-semibold">
          <Icon className="size-4 text-accent" aria-hidden />
          {text}
        </li>
      ))}
    </ul>
  );
}
