import './style/site.css';
import { forgetLastKnown } from './api/forget-last-known.ts';
import { number, percent, select, selectAll, whenSeen } from './site-scripts/page.ts';
import { toggleTheme } from './ui/theme.ts';

/** The script of the static pages. What only the landing page needs comes when it scrolls into view. */
select('[data-theme-toggle]')?.addEventListener('click', toggleTheme);
// A session that ended while no page was open: what the panel kept for it goes.
if (!document.cookie.includes('auth_token=')) forgetLastKnown();
keepLanguage();
closeMenu();
turnFigures();

if (select('[data-prices]')) void import('./site-scripts/prices.ts').then(({ showPrices }) => showPrices());
whenSeen('[data-carousel]', async (track) => (await import('./site-scripts/carousel.ts')).startCarousel(track));
whenSeen('[data-map-demo]', async (demo) => (await import('./site-scripts/map-demo.ts')).startMapDemo(demo));
whenSeen('[data-assistant]', async (demo) => (await import('./site-scripts/assistant-demo.ts')).startAssistant(demo));
select('[data-tour-open]')?.addEventListener('click', () => {
  void import('./site-scripts/tour.ts').then(({ openTour }) => openTour());
});

/** The application has one address for both languages and reads the choice from this cookie. */
function keepLanguage(): void {
  for (const link of selectAll('[data-language]')) {
    link.addEventListener('click', () => {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store does not exist in every browser that people have
      document.cookie = `locale=${link.dataset.language}; path=/; max-age=31536000; samesite=lax`;
    });
  }
}

function closeMenu(): void {
  const menu = select<HTMLDetailsElement>('[data-menu]');
  if (!menu) return;
  document.addEventListener('click', ({ target }) => {
    const inside = target instanceof Element && menu.contains(target) && !target.closest('a');
    if (!inside) menu.open = false;
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary')?.focus();
  });
}

/** Simulated, and marked so on the page: counters every three seconds, the suggested server every eight. */
function turnFigures(): void {
  const connected = select('[data-live-connected]');
  const ping = select('[data-live-ping]');
  const server = select('[data-live-server]');
  const serverPing = select('[data-live-server-ping]');
  const load = select('[data-live-server-load]');
  const locations = selectAll('[data-location]');
  if (!connected || !ping || !server || !serverPing || !load) return;
  let beat = 0;
  every(3000, () => {
    beat++;
    connected.textContent = number(48_216 + Math.round(140 * Math.sin(beat / 3) + 37 * Math.sin(beat * 1.7)));
    ping.textContent = number(38 + Math.round(2.4 * Math.sin(beat * 2.3)));
  });
  let turn = 0;
  every(8000, () => {
    turn = (turn + 1) % locations.length;
    const location = locations[turn]!.dataset;
    server.textContent = location.city ?? '';
    serverPing.textContent = number(Number(location.ping));
    load.textContent = percent((24 + ((turn * 17) % 41)) / 100);
  });
}

function every(milliseconds: number, act: () => void): void {
  setInterval(() => {
    if (document.visibilityState === 'visible') act();
  }, milliseconds);
}
