import type { Locale } from '@raha/contract/locale.ts';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { m } from '../text/generated/messages.js';
import { overwriteGetLocale } from '../text/generated/runtime.js';
import { FamilyHead, FamilyPage } from './family/family-page.tsx';
import { LandingPage } from './landing/landing-page.tsx';
import { Head, origin } from './site/head.tsx';
import { NotFoundPage } from './site/not-found-page.tsx';
import { BlogPage, ContactPage, DownloadsPage, FaqPage, FeaturesPage, ProsePage, SupportPage } from './site/pages.tsx';
import { PricingPage } from './site/pricing-page.tsx';
import { inLanguage, type SitePath, sitePaths } from './site/site-paths.ts';

/** What the build and the development server pour into the shells. Static pages have no React in the browser. */
type Parts = Readonly<Record<string, string>>;
interface PublicFile {
  /** Where the server answers with it; a file without one is an answer to everything unknown. */
  readonly path?: string;
  readonly file: string;
  /** The shell that it is poured into; `site` if absent. */
  readonly shell?: 'family';
  readonly parts?: Parts;
  readonly text?: string;
}

const bodies: Readonly<Record<SitePath, () => ReactNode>> = {
  '/': () => <LandingPage />,
  '/downloads': () => <DownloadsPage />,
  '/pricing': () => <PricingPage />,
  '/features': () => <FeaturesPage />,
  '/guides': () => <ProsePage path="/guides" name="guides" />,
  '/faq': () => <FaqPage />,
  '/support': () => <SupportPage />,
  '/contact': () => <ContactPage />,
  '/blog': () => <BlogPage />,
  '/privacy': () => <ProsePage path="/privacy" name="privacy" />,
  '/terms': () => <ProsePage path="/terms" name="terms" />,
};
const locales = ['fa', 'en'] as const;

export const application = (): Parts => ({ title: m.brand(), noscript: m.needs_script() });

export function siteFiles(): PublicFile[] {
  const pages = locales.flatMap((locale) =>
    sitePaths.map((path) => ({
      path: inLanguage(path, locale),
      file: `pages/${locale}/${path === '/' ? 'index' : path.slice(1)}.html`,
      parts: render(locale, () => ({ head: <Head path={path} />, page: bodies[path]() })),
    })),
  );
  // Known only to those who were sent a link: no search engine and no site map has it.
  const family = locales.map((locale) => ({
    path: inLanguage('/family', locale),
    file: `pages/${locale}/family.html`,
    shell: 'family' as const,
    parts: render(locale, () => ({ head: <FamilyHead />, page: <FamilyPage /> })),
  }));
  const missing = locales.map((locale) => ({
    file: locale === 'fa' ? '404.html' : '404-en.html',
    parts: render(locale, () => ({
      head: <title>{`${m.not_found_title()} | ${m.brand()}`}</title>,
      page: <NotFoundPage />,
    })),
  }));
  return [
    ...pages,
    ...family,
    ...missing.map(({ file, parts }) => ({
      file,
      parts: { ...parts, head: `${parts.head}<meta name="robots" content="noindex" />` },
    })),
    { path: '/sitemap.xml', file: 'pages/sitemap.xml', text: sitemap() },
    { path: '/robots.txt', file: 'pages/robots.txt', text: robots },
  ];
}

function render(locale: Locale, make: () => { head: ReactNode; page: ReactNode }): Parts & { head: string } {
  overwriteGetLocale(() => locale);
  const { head, page } = make();
  const parts = {
    lang: locale,
    dir: locale === 'fa' ? 'rtl' : 'ltr',
    head: renderToStaticMarkup(head),
    page: renderToStaticMarkup(page),
  };
  overwriteGetLocale(() => 'fa');
  return parts;
}

function sitemap(): string {
  const links = (path: SitePath) =>
    locales
      .map((other) => `<xhtml:link rel="alternate" hreflang="${other}" href="${origin}${inLanguage(path, other)}"/>`)
      .join('');
  const urls = sitePaths.flatMap((path) =>
    locales.map((locale) => `<url><loc>${origin}${inLanguage(path, locale)}</loc>${links(path)}</url>`),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${urls.join('\n')}
</urlset>
`;
}

const robots = `User-agent: *
Disallow: /api/
Disallow: /auth/
Disallow: /user/

Sitemap: ${origin}/sitemap.xml
`;
