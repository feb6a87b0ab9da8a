import { limits } from '@raha/contract/limits.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { formatNumber } from '@raha/contract/persian.ts';
import { cookiePoints, recipientPoints } from './privacy-lists.ts';
import type { Prose } from './prose.ts';

const { verificationCode } = limits;

export const privacyPage: Readonly<Record<Locale, Prose>> = {
  fa: {
    title: 'حریم خصوصی',
    description: 'رها چه چیزی را نگه می‌دارد، چه چیزی را نگه نمی‌دارد، چرا و تا کی.',
    lead: 'کوتاه: نمی‌دانیم به کجا می‌روید و نمی‌خواهیم بدانیم. برای حساب و صورت‌حساب، این‌ها را نگه می‌داریم و نه بیشتر.',
    parts: [
      {
        heading: 'آنچه هرگز نگه نمی‌داریم',
        points: [
          'نشانی سایت‌ها و سرویس‌هایی که باز می‌کنید',
          'پرسش‌های DNS شما',
          'آنچه می‌فرستید و می‌گیرید',
          'نشانی شبکهٔ (IP) دستگاهی که با آن به سرور VPN وصل می‌شوید',
        ],
      },
      {
        heading: 'آنچه نگه می‌داریم',
        points: [
          'حساب: نام، ایمیل، و اگر خودتان بنویسید شمارهٔ تلفن و تصویر. گذرواژه فقط به‌صورت درهم‌سازی‌شده نگه‌داری می‌شود.',
          'مصرف: شمار بایت هر کانفیگ در هر ساعت، و زمان آخرین اتصال آن؛ برای محاسبهٔ قیمت و نمایش به خودتان.',
          'کانفیگ: نام، سرور و کلید عمومی. کلید خصوصی فقط اگر خودتان بخواهید، رمزنگاری‌شده.',
          'پول: شارژها، گیفت کارت‌های ثبت‌شده، مصرف و بازگشت وجه، با شمارهٔ پیگیری بانک. از شمارهٔ کارت بانکی، بانک فقط شش رقم اول و چهار رقم آخر را به ما می‌گوید که روی رسید می‌آید.',
          'ورود: اینکه حساب روی کدام دستگاه و مرورگر باز است و از کی، تا بتوانید هر کدام را ببندید. گذرکلید و ورود دومرحله‌ای، اگر خودتان بسازید: کلید عمومی و نام هر گذرکلید و زمان آخرین استفادهٔ آن، رمز برنامهٔ رمزساز به‌صورت رمزنگاری‌شده، و اثری بازگشت‌ناپذیر از کدهای بازیابی. اثر انگشت و چهره هرگز از دستگاه شما بیرون نمی‌آید.',
        ],
      },
      {
        heading: 'ایمیل',
        paragraphs: [
          `ایمیل شما برای کد ورود، تأیید نشانی، بازیابی گذرواژه و خبرهای همین حساب به کار می‌رود. کدها ${formatNumber(verificationCode.lifetimeSeconds / 60, 'fa')} دقیقه معتبرند و متنشان ذخیره نمی‌شود، فقط اثری از آن‌ها که بازگشتنی نیست.`,
        ],
      },
      {
        heading: 'کوکی و حافظهٔ مرورگر',
        paragraphs: [
          'کوکی‌ها فقط برای ورود و زبان‌اند. پوسته و اتصال خودکار در مرورگر خودتان می‌ماند و تا بستن زبانه، ایمیلی که کد برایش فرستاده شد و صفحه‌ای که از آن آمدید. هیچ ردیاب، تبلیغ یا درخواستی به سایت‌های دیگر در صفحه‌های ما نیست.',
        ],
        points: cookiePoints('fa'),
      },
      {
        heading: 'چه کسانی می‌بینند',
        paragraphs: [
          'فرستندهٔ ایمیل، نشانی و متن نامه را می‌بیند. داده‌ها را به کسی نمی‌فروشیم و برای تبلیغ به کار نمی‌بریم.',
        ],
        points: recipientPoints('fa'),
      },
      {
        heading: 'تا کی',
        paragraphs: [
          'سابقهٔ ورودهای پایان‌یافته پس از ۹۰ روز پاک می‌شود. سابقهٔ پول برای درستی حساب‌ها می‌ماند. باقی داده‌ها تا وقتی حساب را دارید می‌ماند. پس از حذف حساب یک نشان می‌ماند: اثری بازگشت‌ناپذیر از صندوق ایمیل و شمارهٔ موبایلی که دورهٔ رایگان گرفته است، تا دورهٔ رایگان یک بار باشد. این نشان نمی‌گوید از آنِ کدام حساب بوده است.',
        ],
      },
      {
        heading: 'حق شما',
        paragraphs: ['داده‌های خود را در پنل می‌بینید. برای پاک کردن حساب، از پنل یا از راه صفحهٔ تماس درخواست دهید.'],
      },
    ],
  },
  en: {
    title: 'Privacy',
    description: 'What Raha keeps, what it does not keep, why, and for how long.',
    lead: 'In short: we do not know where you go and do not want to. For your account and your bill we keep the following, and no more.',
    parts: [
      {
        heading: 'What we never keep',
        points: [
          'The addresses of the sites and services you open',
          'Your DNS queries',
          'The content of your traffic',
          'The network (IP) address of the device that connects to a VPN server',
        ],
      },
      {
        heading: 'What we keep',
        points: [
          'Account: name, e-mail address, and, if you give them, phone number and picture. A password is kept only as a hash.',
          'Usage: the number of bytes of each config per hour and the time of its last connection; to count the price and to show it to you.',
          'Configs: name, server and public key. The private key only if you ask for it, encrypted.',
          'Money: charges, redeemed gift cards, usage and refunds, with the bank’s reference number. Of your card number the bank tells us the first six and the last four digits, which stand on the receipt.',
          'Sign-ins: on which device and browser the account is open and since when, so that you can end each of them. Passkeys and two-step sign-in, if you set them up: public key, name and last use of each passkey, the secret of the authenticator app encrypted, and recovery codes only in a form that cannot be turned back. Fingerprint and face never leave your device.',
        ],
      },
      {
        heading: 'E-mail',
        paragraphs: [
          `Your address is used for sign-in codes, to verify it, to recover a password and for news about this account. Codes are good for ${verificationCode.lifetimeSeconds / 60} minutes; they are not stored themselves, only a fingerprint that cannot be turned back.`,
        ],
      },
      {
        heading: 'Cookies and browser storage',
        paragraphs: [
          'Cookies are for signing in and for the language only. Theme and automatic connection stay in your browser; the address that a code was sent to and the page you came from stay until you close the tab. Our pages hold no trackers, no advertising and no requests to other sites.',
        ],
        points: cookiePoints('en'),
      },
      {
        heading: 'Who sees it',
        paragraphs: [
          'The mail carrier sees your address and the text of the mail. We sell data to nobody and use none for advertising.',
        ],
        points: recipientPoints('en'),
      },
      {
        heading: 'For how long',
        paragraphs: [
          'Records of ended sign-ins are erased after 90 days. Records of money stay, so that the books are right. Everything else stays as long as you have the account. After the account is deleted one mark stays: a fingerprint, which cannot be turned back, of the mailbox and the phone number that had a free trial, so that each has one. It does not say whose account it was.',
        ],
      },
      {
        heading: 'Your rights',
        paragraphs: [
          'You see your data in the panel. To erase the account, ask in the panel or through the contact page.',
        ],
      },
    ],
  },
};
