import { useState } from 'react';
import { useTitle } from '../../../components/use-title.ts';
import { useHistoryEntry, useSearch } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { AuthLayout } from '../shared/auth-layout.tsx';
import { useCarriedEmail } from '../shared/use-carried-email.ts';
import { readChallenge } from './challenge.ts';
import { EmailStep } from './email-step.tsx';
import { LinkEntry, linkIn } from './link-entry.tsx';
import { PasswordStep } from './password-step.tsx';
import { ProfileStep } from './profile-step.tsx';
import { SecondStep } from './second-step.tsx';
import { TokenEntry } from './token-entry.tsx';
import { VerificationStep } from './verification-step.tsx';

export default function PasswordlessPage() {
  useTitle(m.sign_in_title());
  return (
    <AuthLayout>
      <Step />
    </AuthLayout>
  );
}

function Step() {
  const { step, method } = useSearch('/auth/passwordless');
  const query = useHistoryEntry().query;
  const link = linkIn(useHistoryEntry().hash);
  const challenge = readChallenge();
  const carried = useCarriedEmail();
  const [email, setEmail] = useState(carried || (challenge?.email ?? ''));
  const token = new URLSearchParams(query).get('token');
  if (token) return <TokenEntry token={token} />;
  if (link) return <LinkEntry token={link} />;
  if (step === 'profile') return <ProfileStep />;
  if (step === 'second-step') return <SecondStep />;
  if (step === 'verification' && challenge) return <VerificationStep key={challenge.email} challenge={challenge} />;
  if (method === 'password') return <PasswordStep email={email} onEmail={setEmail} />;
  return <EmailStep email={email} onEmail={setEmail} />;
}
