import type { Page } from 'playwright-core';
import { text } from './browser.ts';
import type { TestUser } from './user.ts';

/** What everybody has who is signed in below. */
export const PASSWORD = 'Correct-horse-7';

export async function setPassword(user: Pick<TestUser, 'api'>): Promise<void> {
  await user.api.changePassword({ body: { password: PASSWORD, password_confirmation: PASSWORD } });
}

/** Signs a user in at the browser with a password, because a second code is refused within a minute. */
export async function signInAtBrowser(
  page: Page,
  user: TestUser,
  { hasPassword = false }: { hasPassword?: boolean } = {},
): Promise<void> {
  if (!hasPassword) await setPassword(user);
  await page.goto('/auth/passwordless?method=password');
  await enterPassword(page, user.email);
  await page.waitForURL('**/user/**');
}

/** Fills the form for passwords that is on the screen, and sends it. */
export async function enterPassword(page: Page, email: string): Promise<void> {
  await page.getByLabel(text('email_label'), { exact: true }).fill(email);
  await page.getByLabel(text('password_label'), { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: text('sign_in'), exact: true }).click();
}
