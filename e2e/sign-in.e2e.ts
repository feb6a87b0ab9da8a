import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lifetimeDays, openBrowser, type Reader, text } from './world/browser.ts';
import { whyNoBrowser } from './world/journey.ts';
import { keepLastSight } from './world/last-sight.ts';
import { lookAtPage } from './world/look.ts';
import { waitForCode } from './world/mailbox.ts';
import { until } from './world/processes.ts';
import { createSite, type Site } from './world/site.ts';

const PASSWORD = 'Correct-horse-7';

/** Every way of signing in, in a real browser (specification 1, sections 2, 4, 5 and 8). */
describe.skipIf(whyNoBrowser)('signing in', () => {
  let site: Site;
  let reader: Reader;
  let page: Page;

  beforeAll(async () => {
    site = await createSite();
  });
  afterAll(() => site?.close());
  beforeEach(async () => {
    reader = await openBrowser(site.controlPlane.url);
    page = reader.page;
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await keepLastSight();
    const complaints = reader.complaints.splice(0);
    await reader.close();
    expect(complaints).toEqual([]);
  });

  const button = (key: string) => page.getByRole('button', { name: text(key), exact: true });
  const field = (key: string) => page.getByLabel(text(key), { exact: true });
  const heading = (key: string) => page.getByRole('heading', { name: text(key), exact: true });
  const toast = (sentence: string) => page.locator('[role=status] p', { hasText: sentence }).first();
  const inPanel = () => page.waitForURL('**/user/dashboard');

  async function askForCode(email: string): Promise<void> {
    await page.goto('/auth/passwordless');
    await field('email_label').fill(email);
    await button('continue_with_email').click();
    await field('code_label').waitFor();
  }

  async function sendRegistration(email: string, password = PASSWORD): Promise<void> {
    await page.goto('/register');
    await field('full_name_label').fill('نیلوفر احمدی');
    await field('email_label').fill(email);
    for (const key of ['password_label', 'password_again_label']) await field(key).fill(password);
    await page.getByRole('checkbox').check();
    await button('register_action').click();
  }

  const register = (email: string) => sendRegistration(email).then(inPanel);

  describe('/auth/passwordless', () => {
    test('the e-mail step: off while empty, a wrong address is refused, links to terms and privacy, home', async () => {
      await page.goto('/auth/passwordless');
      await heading('sign_in_heading').waitFor();
      expect(await button('continue_with_email').getAttribute('aria-disabled')).toBe('true');
      await field('email_label').fill('nobody');
      await button('continue_with_email').click();
      await page.getByText('لطفاً ایمیل معتبر وارد کنید').waitFor();
      for (const path of ['/terms', '/privacy', '/'])
        expect(await page.locator(`a[href="${path}"]`).count(), path).toBeGreaterThan(0);
      expect(await lookAtPage(page)).toEqual([]);
      await page.getByText(text('social_test')).waitFor();
    });

    test('six digits: pasted with words around them, taken back, incomplete, wrong, then right as a Persian keyboard writes', async () => {
      const email = 'digits@mail.example';
      await askForCode(email);
      await heading('verify_heading').waitFor();
      const code = field('code_label');
      await code.pressSequentially('12a۳');
      expect(await code.inputValue()).toBe('123');
      await code.press('Backspace');
      expect(await code.inputValue()).toBe('12');
      expect(await button('verify_code').isDisabled()).toBe(true);
      await button('verify_code').press('Enter');
      await page.getByText('لطفاً کد ۶ رقمی را کامل وارد کنید').waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      const right = await waitForCode(site.mailbox, email);
      await reader.whileRefused(async () => {
        await paste(page, `کد شما: ${right === '111111' ? '222222' : '111111'}`);
        await toast('کد تایید نامعتبر است').waitFor();
      });
      expect(await code.inputValue()).toBe('');
      expect(await code.evaluate((input) => input === document.activeElement)).toBe(true);
      await paste(page, `Code: ${[...right].map((digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)]).join('')}`);
      await heading('profile_heading').waitFor();
      await page.getByText('۱۴ روز رایگان در انتظار شماست', { exact: false }).waitFor();
      await field('full_name_label').fill('   ');
      await button('complete_registration').click();
      await page.getByText('نام کامل الزامی است').waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      await field('full_name_label').fill('مینا رضایی');
      await button('complete_registration').click();
      await inPanel();
      await toast('۱۴').waitFor();
    });

    test('the countdown runs from 5:00, from 1:00 after a resend, which clears the boxes; the address can be changed', async () => {
      await page.clock.install({ time: new Date() });
      await askForCode('patient@mail.example');
      const timer = page.getByRole('timer');
      expect(await timer.innerText()).toMatch(/^(۵:۰۰|۴:۵[۰-۹])$/);
      await page.clock.fastForward(290_000);
      await expect.poll(() => timer.innerText()).toMatch(/^۰:(۰|۱)[۰-۹]$/);
      await page.clock.fastForward(11_000);
      await field('code_label').pressSequentially('12');
      // The server counts its own minute; here it is made to agree that one has passed.
      await page.route('**/auth/send-verification-code', (route) =>
        route.fulfill({ json: { success: true, userExists: null, retry_after: 60, message: '' } }),
      );
      await button('resend_code').click();
      await toast('کد جدید ارسال شد').waitFor();
      expect(await field('code_label').inputValue()).toBe('');
      await expect.poll(() => field('code_label').evaluate((input) => input === document.activeElement)).toBe(true);
      expect(await timer.innerText()).toMatch(/^(۱:۰۰|۰:۵[۰-۹])$/);
      await page.clock.fastForward(61_000);
      await button('resend_code').waitFor();
      await page.unroute('**/auth/send-verification-code');
      await reader.whileRefused(async () => {
        await button('resend_code').click();
        await toast('کد قبلی هنوز تازه است').waitFor();
      });
      await button('change_email').click();
      await heading('sign_in_heading').waitFor();
      expect(await field('email_label').inputValue()).toBe('patient@mail.example');
    });

    test('a resend that gets no answer says so', async () => {
      await page.clock.install({ time: new Date() });
      await askForCode('unlucky@mail.example');
      await page.clock.fastForward(301_000);
      await page.route('**/auth/send-verification-code', (route) =>
        route.fulfill({ status: 502, body: 'bad gateway' }),
      );
      await button('resend_code').click();
      await toast('خطا در ارسال مجدد کد').waitFor();
      reader.complaints.splice(0);
    });

    test('the demos turn every 6 seconds, rest under the pointer, for a choice and for reduced motion', async () => {
      await page.clock.install({ time: new Date() });
      await page.goto('/auth/passwordless');
      const panel = page.getByRole('region', { name: text('demo_region') });
      const titles = ['demo_speed_title', 'demo_access_title', 'demo_security_title'].map((key) => text(key));
      const shown = () => panel.getByRole('heading').innerText();
      await panel.waitFor();
      await page.mouse.move(5, 5);
      const seen = new Set<string>();
      for (let turn = 0; turn < 3; turn += 1) {
        const before = await shown();
        seen.add(before);
        await page.clock.fastForward(6_000);
        await expect.poll(shown).not.toBe(before);
      }
      expect([...seen].sort()).toEqual([...titles].sort());
      const turns = async () => {
        const before = await shown();
        await page.clock.fastForward(13_000);
        return (await shown()) !== before;
      };
      await panel.hover();
      await expect.poll(turns).toBe(false); // The page hears of the pointer a moment later.
      await panel.getByRole('button').nth(2).click();
      await page.mouse.move(5, 5);
      expect([await turns(), await shown()]).toEqual([false, titles[2]]);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.reload();
      expect(await turns()).toBe(false);
    });

    test('what its address may carry: a step, a new user, a token that is none, one that is', async () => {
      await page.goto('/auth/passwordless?step=profile');
      await heading('sign_in_heading').waitFor();
      await reader.whileRefused(async () => {
        await page.goto('/auth/passwordless?token=not-a-token');
        await toast('خطا در پردازش اطلاعات ورود').waitFor();
      });
      expect(new URL(page.url()).search).toBe('');
      await register('carried@mail.example');
      const cookies = await page.context().cookies();
      const token = cookies.find(({ name }) => name === 'auth_token')?.value ?? '';
      await page.context().clearCookies();
      await page.goto(`/auth/passwordless?token=${token}&step=profile`);
      await inPanel();
      expect(page.url()).not.toContain(token);
      expect(await lifetimeDays(page)).toBeCloseTo(1, 1);
    });
  });

  describe('/register', () => {
    test('each field has its rule and sentence, the meter its labels; then straight into the panel, for seven free days', async () => {
      await page.goto('/register');
      await button('register_action').click();
      for (const sentence of ['نام کامل الزامی است', 'این بخش الزامی است.', 'گذرواژه الزامی است'])
        await page.getByText(sentence).first().waitFor();
      await page.getByText('برای ثبت‌نام باید شرایط را بپذیرید').waitFor();
      await field('full_name_label').fill('ن');
      await page.getByText('نام باید حداقل ۲ حرف باشد').waitFor();
      await field('email_label').fill('nobody@');
      await field('email_label').blur();
      await page.getByText('لطفاً ایمیل معتبر وارد کنید').waitFor();
      for (const [typed, label, sentence] of [
        ['short-1', 'strength_strong', 'گذرواژه باید حداقل ۸ حرف باشد'],
        ['abcdefgh', 'strength_good', 'گذرواژه باید قویتر باشد'],
        ['Qanatkhaneh', 'strength_strong', ''],
        ['Abcdefgh1', 'strength_weak', 'از پرتکرارترین گذرواژه‌هاست'],
        ['ABC', 'strength_medium', 'گذرواژه باید حداقل ۸ حرف باشد'],
      ] as const) {
        await field('password_label').fill(typed);
        await field('password_label').blur();
        if (sentence) await page.getByText(sentence).first().waitFor();
        await page.getByText(text(label), { exact: true }).waitFor();
      }
      await field('password_again_label').fill('another');
      await page.keyboard.press('Tab');
      await page.getByText('تکرار گذرواژه با خود آن یکی نیست').waitFor();
      await page.getByText('بستهٔ ۷ روزه که قیمتش ۲۹٬۰۰۰ تومان است', { exact: false }).waitFor();
      expect(await lookAtPage(page)).toEqual([]);
      await reader.whileRefused(async () => {
        // The field may say the same before the server does.
        const sent = sendRegistration('seven@mail.example', 'Password1');
        await Promise.all([page.waitForResponse('**/auth/register'), sent]);
        await page.getByText('از پرتکرارترین گذرواژه‌هاست', { exact: false }).first().waitFor();
      });
      await register('seven@mail.example');
      await page.getByText(text('unverified_title')).waitFor();
    });

    test('a taken address is said in its field and as a toast, and leads to signing in', async () => {
      await register('taken@mail.example');
      await page.context().clearCookies();
      await reader.whileRefused(async () => {
        await sendRegistration('taken@mail.example');
        await toast('با این ایمیل پیش‌تر حساب ساخته شده است').waitFor();
      });
      await page.getByRole('link', { name: text('sign_in_this_email') }).click();
      expect(await field('email_label').inputValue()).toBe('taken@mail.example');
    });
  });

  describe('/verify-email', () => {
    test('needs a sign-in; a wrong code clears the boxes, the right one opens the panel', async () => {
      await page.goto('/verify-email?email=prove@mail.example');
      await heading('sign_in_heading').waitFor();
      const email = 'prove@mail.example';
      await register(email);
      await page.getByRole('link', { name: text('verify_email') }).click();
      await heading('verify_heading').waitFor();
      expect(await page.getByRole('timer').innerText()).toMatch(/^(۱:۰۰|۰:۵[۰-۹])$/);
      expect(await lookAtPage(page)).toEqual([]);
      const right = await waitForCode(site.mailbox, email);
      await reader.whileRefused(async () => {
        await field('code_label').fill(right === '111111' ? '222222' : '111111');
        await toast('کد تایید نامعتبر است').waitFor();
      });
      await field('code_label').fill(right);
      await toast('ایمیل شما با موفقیت تایید شد!').waitFor();
      await inPanel();
      await expect.poll(() => page.getByText(text('unverified_title')).count()).toBe(0);
    });
  });

  describe('with a password', () => {
    test('wrong, then right for a day or thirty; an unproved address is proved first, with a token of a quarter day', async () => {
      const email = 'word@mail.example';
      await register(email);
      await page.context().clearCookies();
      const enter = async (password: string, remember = false) => {
        await page.goto('/auth/passwordless?method=password');
        await field('email_label').fill(email);
        await field('password_label').fill(password);
        if (remember) await page.getByRole('checkbox').check();
        await button('sign_in').click();
      };
      await reader.whileRefused(async () => {
        await enter('Wrong-horse-7');
        await page.getByText('ایمیل یا گذرواژه نادرست است.').waitFor();
      });
      expect(await page.getByText('ایمیل یا گذرواژه نادرست است.').count()).toBe(1);
      expect(await lookAtPage(page)).toEqual([]);
      // The code of the registration is moments old: no other is sent on arriving.
      await reader.whileRefused(async () => {
        await enter(PASSWORD);
        await page.waitForURL('**/verify-email');
        await field('code_label').waitFor();
        await page.waitForLoadState('networkidle');
      });
      expect(await lifetimeDays(page)).toBeCloseTo(0.25, 2);
      expect(await lifetimeDays(page, 'user_data')).toBeCloseTo(0.25, 2);
      await field('code_label').fill(await newestCode(email));
      await inPanel();
      expect(await lifetimeDays(page)).toBeCloseTo(1, 1);
      await page.context().clearCookies();
      await enter(PASSWORD, true);
      await inPanel();
      expect(await lifetimeDays(page)).toBeCloseTo(30, 1);
      // Known again by the session alone, for as long as that lives.
      await page.context().clearCookies({ name: 'user_data' });
      await page.goto('/register');
      await inPanel();
      expect(await lifetimeDays(page, 'user_data')).toBeCloseTo(30, 1);
    });

    test('forgotten: the same answer for everybody, a link by mail, a new password, and in', async () => {
      const email = 'forgetful@mail.example';
      await register(email);
      await page.context().clearCookies();
      await page.goto('/auth/passwordless?method=password');
      await field('email_label').fill(email);
      await page.getByRole('link', { name: text('password_forgotten') }).click();
      await heading('forgot_title').waitFor();
      expect(await field('email_label').inputValue()).toBe(email);
      expect(await lookAtPage(page)).toEqual([]);
      await button('forgot_action').click();
      await page.getByText('اگر با این ایمیل حسابی باشد').waitFor();
      const link = await until('the link', async () => {
        const mails = (await site.mailbox.mailTo(email)).map((mail) => mail.text ?? '');
        return mails.map((body) => /\S+reset-password\?token=\S+/.exec(body)?.[0]).find(Boolean);
      });
      await page.goto(link);
      await field('new_password_label').fill('Another-horse-8');
      expect(await lookAtPage(page)).toEqual([]);
      await button('reset_password_action').click();
      await toast('گذرواژهٔ تازه ذخیره شد').waitFor();
      await field('email_label').fill(email);
      await field('password_label').fill('Another-horse-8');
      await button('sign_in').click();
      await inPanel();
      await reader.whileRefused(async () => {
        await page.context().clearCookies();
        await page.goto(link);
        await field('new_password_label').fill('Third-horse-9');
        await button('reset_password_action').click();
        await toast('این پیوند نامعتبر است').waitFor();
      });
      await page.goto('/auth/reset-password');
      await heading('reset_link_missing').waitFor();
    });
  });

  async function newestCode(email: string): Promise<string> {
    const mails = await site.mailbox.mailTo(email);
    return /\b(\d{6})\b/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
  }

  test('no answer, and the statuses of a log-in without a sentence of the server: told in words of our own, for 4 seconds', async () => {
    await page.clock.install({ time: new Date() });
    await page.goto('/auth/passwordless');
    await field('email_label').fill('a@mail.example');
    await page.route('**/auth/send-verification-code', (route) => route.abort());
    await button('continue_with_email').click();
    await toast('خطا در ارتباط با سرور. اتصال اینترنت خود را بررسی کنید.').waitFor();
    await page.clock.fastForward(4_100);
    await toast('خطا در ارتباط با سرور. اتصال اینترنت خود را بررسی کنید.').waitFor({ state: 'hidden' });
    await page.goto('/auth/passwordless?method=password');
    await field('email_label').fill('a@mail.example');
    await field('password_label').fill(PASSWORD);
    for (const [status, sentence] of [
      [400, 'ورودی نامعتبر است'],
      [401, 'ایمیل یا گذرواژه نادرست است.'],
      [422, 'خطا در اعتبارسنجی داده‌ها'],
      [429, 'تلاش‌های ورود زیاد بود. لطفاً کمی بعد دوباره امتحان کنید.'],
      [500, 'نشد؛ اشکال از سرور ماست. کمی بعد دوباره بزنید.'],
    ] as const) {
      await page.unroute('**/auth/login');
      await page.route('**/auth/login', (route) => route.fulfill({ status, json: {} }));
      await button('sign_in').click();
      await page.getByText(sentence).waitFor();
    }
    reader.complaints.splice(0);
  });

  test('in English every screen for visitors is complete, and axe finds nothing', async () => {
    await page.context().addCookies([{ name: 'locale', value: 'en', url: site.controlPlane.url }]);
    for (const path of [
      '/register',
      '/auth/passwordless',
      '/auth/passwordless?method=password',
      '/auth/forgot-password',
    ]) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.locator('html').getAttribute('dir')).toBe('ltr');
      expect(await page.locator('main').innerText(), path).not.toMatch(/[\u0600-\u06ff]/);
      expect(await lookAtPage(page)).toEqual([]);
    }
  });
});

async function paste(page: Page, words: string): Promise<void> {
  await page.evaluate((text) => navigator.clipboard.writeText(text), words);
  await page.keyboard.press('ControlOrMeta+V');
}
