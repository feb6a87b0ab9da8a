import './style/public.css';
import { formatNumber } from '@raha/contract/persian.ts';
import { toggleTheme } from './ui/theme.ts';

/** All the script that the static pages have: the theme button, and today's price in toman where a page shows one. */
document.querySelector('[data-theme-toggle]')?.addEventListener('click', toggleTheme);

const price = document.querySelector<HTMLElement>('[data-price]');
if (price) void showPrice(price);

async function showPrice(line: HTMLElement): Promise<void> {
  try {
    const response = await fetch('/api/v1/currency/usd-rate');
    const { rate } = (await response.json()) as { rate: number | null };
    const amount = line.querySelector('[data-amount]');
    if (!rate || !amount) return;
    const toman = Math.round((rate * Number(line.dataset.price)) / 100);
    amount.textContent = formatNumber(toman, document.documentElement.lang === 'en' ? 'en' : 'fa');
    line.hidden = false;
  } catch {
    // Without an answer the price in cents stands alone.
  }
}
