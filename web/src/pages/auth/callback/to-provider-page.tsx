import type { SocialProvider } from '@raha/contract/public/social.ts';
import { useEffect } from 'react';
import { useTitle } from '../../../components/use-title.ts';
import { m } from '../../../text/generated/messages.js';
import { AuthLayout } from '../shared/auth-layout.tsx';
import { startSocial } from '../shared/social-attempt.ts';
import { Waiting } from '../shared/waiting.tsx';

/** `/auth/google` and `/auth/github` (specification 1, section 2): on to the provider. */
export function ToGooglePage() {
  return <ToProvider provider="google" />;
}

export function ToGithubPage() {
  return <ToProvider provider="github" />;
}

function ToProvider({ provider }: { provider: SocialProvider }) {
  useTitle(m.sign_in_title());
  useEffect(() => startSocial(provider, true), [provider]);
  return (
    <AuthLayout>
      <Waiting title={m.social_checking()} text={null} />
    </AuthLayout>
  );
}
