import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { Link } from '@tanstack/react-router';
import { CreditCard, EyeOff, Gift, LockKeyhole } from 'lucide-react';
import { useTitle } from '../../components/use-title.ts';
import { number, toman } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { freeTrialTerms, packagePrice, passwordTrialDays } from '../../text/site-values.ts';
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

function Badges() {
  const badges = [
    [CreditCard, m.register_badge_1()],
    [EyeOff, m.register_badge_2()],
    [LockKeyhole, m.register_badge_3()],
  ] as const;
  return (
    <ul className="flex flex-wrap gap-2 -mt-2 mb-4">
      {badges.map(([Icon, text]) => (
        <li key={text} className="badge bg-surface-2 text-text-2 !font-semibold">
          <Icon className="size-4 text-accent" aria-hidden />
          {text}
        </li>
      ))}
    </ul>
  );
}
