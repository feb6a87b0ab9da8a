import type { User } from '@raha/contract/public/auth.ts';
import { useQueryClient } from '@tanstack/react-query';
import { meQuery } from '../../../api/me.ts';
import { storeSession } from '../../../api/session.ts';
import { navigateTo } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { forgetMailedCode } from './mailed-code.ts';

/** The address is proved: the session goes on, or the temporary token became one. */
export function useVerified(): (answer: { token: string | null; user: User }) => void {
  const queries = useQueryClient();
  return ({ token, user }) => {
    storeSession(token ? { token, user } : { user });
    queries.setQueryData(meQuery.queryKey, user);
    forgetMailedCode();
    toast(m.email_verified());
    void navigateTo('/dashboard', { replace: true });
  };
}
