import { renderToStaticMarkup } from 'react-dom/server';
import { m } from '../text/generated/messages.js';
import { LandingPage } from './landing/landing-page.tsx';
import { NotFoundPage } from './not-found/not-found-page.tsx';

/** What fills the `{{…}}` of the HTML shells at build time. Static pages have no React in the browser. */
type Shell = Readonly<Record<string, string>>;

export const pages: Readonly<Record<string, () => Shell>> = {
  'index.html': () => ({
    title: m.landing_page_title({ brand: m.brand() }),
    description: m.landing_description(),
    page: renderToStaticMarkup(<LandingPage />),
  }),
  '404.html': () => ({
    title: `${m.missing_title()} | ${m.brand()}`,
    page: renderToStaticMarkup(<NotFoundPage />),
  }),
  'app.html': () => ({ title: m.brand(), noscript: m.needs_script() }),
};
