import { formatNumber } from '@raha/contract/persian.ts';

/** What the small scripts of the static pages share. */
const locale = document.documentElement.lang === 'en' ? 'en' : 'fa';
const percents = new Intl.NumberFormat(locale === 'fa' ? 'fa-IR' : 'en', { style: 'percent' });

export function number(value: number): string {
  return formatNumber(value, locale);
}

export function percent(share: number): string {
  return percents.format(share);
}

export function select<E extends HTMLElement>(selector: string, within: ParentNode = document): E | null {
  return within.querySelector<E>(selector);
}

export function selectAll<E extends HTMLElement>(selector: string, within: ParentNode = document): E[] {
  return [...within.querySelectorAll<E>(selector)];
}

export const stillness = matchMedia('(prefers-reduced-motion: reduce)');

/** Starts a part of the page shortly before it scrolls into view, once. */
export function whenSeen(selector: string, start: (part: HTMLElement) => Promise<void>): void {
  const part = select(selector);
  if (!part) return;
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      void start(part);
    },
    { rootMargin: '300px' },
  );
  observer.observe(part);
}
