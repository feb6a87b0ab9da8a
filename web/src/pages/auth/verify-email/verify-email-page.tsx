import { cleanEmail } from '@raha/contract/persian.ts';
import { readUser } from '../../../api/session.ts';
import { useTitle } from '../../../components/use-title.ts';
import { useHistoryEntry } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { AuthLayout } from '../shared/auth-layout.tsx';
import { useCarriedEmail } from '../shared/use-carried-email.ts';
import { VerifyCode } from './verify-code.tsx';
import { VerifyLink } from './verify-link.tsx';

/** The address: handed over, in the address bar, or the account's own. Only the account's own can be proved anyway. */
export default function VerifyEmailPage() {
  useTitle(m.verify_heading());
  const carried = useCarriedEmail();
  const query = new URLSearchParams(useHistoryEntry().query);
  const email = carried || cleanEmail(query.get('email') ?? '') || (readUser()?.email ?? '');
  const token = query.get('token');
  return <AuthLayout>{token ? <VerifyLink token={token} email={email} /> : <VerifyCode email={email} />}</AuthLayout>;
}
