import { placeholder } from '@raha/contract/site-placeholders.ts';
import { currentLocale } from '../../../text/locale.ts';

const persian = {
  nav: {
    label: 'اصلی',
    features: 'امکانات',
    compare: 'مقایسه',
    pricing: 'تعرفه',
    faq: 'پرسش‌ها',
    guides: 'راهنماها',
    support: 'پشتیبانی',
    downloads: 'دانلود',
    contact: 'تماس',
    blog: 'وبلاگ',
    privacy: 'حریم خصوصی',
    terms: 'شرایط استفاده',
  },
  menu: 'منو',
  signIn: 'ورود',
  start: 'شروع با ایمیل',
  footer: { product: 'محصول', help: 'کمک', company: 'رها', label: 'پیوندهای پایین صفحه' },
  tagline: placeholder('tagline'),
  title: [placeholder('taglineFirst'), placeholder('taglineSecond')],
  demoNote: 'نقشه‌ها، شمارنده‌ها و پیشنهادهایی که نشان «نمایشی» دارند نمایش‌اند.',
  otherLanguage: 'English',
  ctaTitle: 'آماده‌اید؟',
  ctaText: 'حساب را با ایمیل بسازید؛ کارت بانکی لازم نیست.',
  onThisPage: 'در این صفحه',
};

const english: typeof persian = {
  nav: {
    label: 'Main',
    features: 'Features',
    compare: 'Compare',
    pricing: 'Pricing',
    faq: 'Questions',
    guides: 'Guides',
    support: 'Support',
    downloads: 'Download',
    contact: 'Contact',
    blog: 'Blog',
    privacy: 'Privacy',
    terms: 'Terms',
  },
  menu: 'Menu',
  signIn: 'Sign in',
  start: 'Start with e-mail',
  footer: { product: 'Product', help: 'Help', company: 'Raha', label: 'Links at the end of the page' },
  tagline: placeholder('taglineEnglish'),
  title: [placeholder('taglineEnglishFirst'), placeholder('taglineEnglishSecond')],
  demoNote: 'Maps, counters and suggestions that are marked “Demo” are demonstrations.',
  otherLanguage: 'فارسی',
  ctaTitle: 'Ready?',
  ctaText: 'Create an account with your e-mail; no bank card needed.',
  onThisPage: 'On this page',
};

export const siteText = () => (currentLocale() === 'fa' ? persian : english);
