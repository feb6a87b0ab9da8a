import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { User } from '@raha/contract/public/auth.ts';
import { useQueryClient } from '@tanstack/react-query';
import { meQuery } from '../../../api/me.ts';
import { decidePassage, storeSession } from '../../../api/session.ts';
import { takeDestination } from '../../../routes/guards.ts';
import { navigate, navigateTo } from '../../../routes/navigation.ts';
import { toast } from '../../../ui/toast.ts';
import { forgetChallenge } from '../passwordless/challenge.ts';

/** Takes a fresh session and goes where it leads: the panel, or the profile step for a new user. */
export function useEnter(): (session: { token: string; user: User }, greeting: string) => void {
  const queries = useQueryClient();
  return (session, greeting) => {
    storeSession(session);
    // Nothing of a former account may show through.
    queries.clear();
    queries.setQueryData(meQuery.queryKey, session.user);
    forgetChallenge();
    if (decidePassage(session.user) === 'open') {
      toast(greeting);
      void navigateTo(takeDestination(), { replace: true });
    } else {
      void navigate({ to: paths.signIn, search: { step: 'profile' }, replace: true });
    }
  };
}
