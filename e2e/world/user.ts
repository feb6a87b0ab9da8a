import { type Client, createClient } from '@raha/contract/client.ts';
import type { User } from '@raha/contract/public/auth.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { type ControlPlane, issueGiftCards } from './control-plane.ts';
import { type Mailbox, waitForCode } from './mailbox.ts';

/** Somebody who uses the product over its API, as any client program would. */
export interface TestUser {
  readonly email: string;
  readonly api: Client<typeof publicEndpoints>;
  readonly user: User;
  token(): string;
}

/** The whole passwordless way in: a code by mail, then the full name. */
export async function signUp(baseUrl: string, mailbox: Mailbox, email: string, name = 'سارا احمدی'): Promise<TestUser> {
  const session = { token: '' };
  const api = apiClient(baseUrl, () => session.token);
  await api.sendVerificationCode({ body: { email } });
  const code = await waitForCode(mailbox, email);
  const signedIn = await api.verifyCode({ body: { email, code } });
  session.token = signedIn.token;
  const completed = await api.completeProfile({ body: { name } });
  session.token = completed.token;
  return { email, api, user: completed.user, token: () => session.token };
}

export function apiClient(baseUrl: string, token: () => string = () => ''): Client<typeof publicEndpoints> {
  return createClient(publicEndpoints, {
    baseUrl: baseUrl + API_BASE,
    headers: () => (token() ? { authorization: `Bearer ${token()}` } : {}),
  });
}

/** Activates an account with a fresh gift card. */
export async function activate(controlPlane: ControlPlane, api: TestUser['api'], usd: number): Promise<void> {
  const [giftCardCode = ''] = await issueGiftCards(controlPlane, 1, usd);
  await api.activateAccount({ body: { giftCardCode } });
}

/** Pays at the built-in test bank, as a browser would: opens its page and presses the button. */
export async function chargeThroughTestBank(
  user: TestUser,
  amount: number,
): Promise<{ transactionId: string; balance: number }> {
  const started = await user.api.chargeWallet({ body: { amount, payment_method: 'zarinpal' } });
  await payAtTestBank(started.payment_url);
  const verified = await user.api.verifyCharge({ body: { transaction_id: started.transaction_id } });
  return { transactionId: started.transaction_id, balance: verified.balance };
}

/** Presses "pay" on the test bank's page; answers with where the bank sends the browser back to. */
export async function payAtTestBank(paymentUrl: string): Promise<string> {
  const page = await fetch(paymentUrl);
  const html = await page.text();
  const form = /<form[^>]*action="([^"]+)"[^>]*>/i.exec(html);
  if (!form?.[1]) throw new Error(`The test bank's page has no form:\n${html.slice(0, 2_000)}`);
  const fields = new URLSearchParams();
  for (const [input] of html.matchAll(/<(?:input|button)[^>]*name="[^"]+"[^>]*>/gi)) {
    const name = /name="([^"]+)"/.exec(input)?.[1] ?? '';
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? '';
    if (!fields.has(name)) fields.set(name, value);
  }
  const answer = await fetch(new URL(form[1].replaceAll('&amp;', '&'), paymentUrl), {
    method: 'POST',
    body: fields,
    redirect: 'manual',
  });
  const back = answer.headers.get('location');
  if (!back) throw new Error(`The test bank did not send the browser back: ${answer.status} ${await answer.text()}`);
  return new URL(back, paymentUrl).href;
}
