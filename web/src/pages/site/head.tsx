import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { inLanguage, type SitePath } from './site-paths.ts';
import { pageText } from './text/page-text.ts';
import type { PageText } from './text/prose.ts';

/** Stands for the site's own address, which only the server knows; it puts that in when it starts. */
export const origin = 'https://origin.invalid';

/** What search engines and previews are told about a page. */
export function Head({ path }: { path: SitePath }) {
  const locale = currentLocale();
  const { title, description } = textOf(path);
  const fullTitle = path === '/' ? title : `${title} | ${m.brand()}`;
  const address = `${origin}${inLanguage(path, locale)}`;
  return (
    <>
      <title>{fullTitle}</title>
      <meta name="description" content={description} />
      <link rel="canonical" href={address} />
      <link rel="alternate" hrefLang="fa" href={`${origin}${path}`} />
      <link rel="alternate" hrefLang="en" href={`${origin}${inLanguage(path, 'en')}`} />
      <link rel="alternate" hrefLang="x-default" href={`${origin}${path}`} />
      <meta property="og:type" content="website" />
      <meta property="og:site_name" content={m.brand()} />
      <meta property="og:title" content={fullTitle} />
      <meta property="og:description" content={description} />
      <meta property="og:url" content={address} />
      <meta property="og:locale" content={locale === 'fa' ? 'fa_IR' : 'en_US'} />
      <meta property="og:image" content={`${origin}/preview-${locale}.png`} />
      <meta property="og:image:width" content="1200" />
      <meta property="og:image:height" content="630" />
      <meta property="og:image:alt" content={pageText().landing.title} />
      <meta name="twitter:card" content="summary_large_image" />
      <script
        type="application/ld+json"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: our own text, with `<` written as an escape
        dangerouslySetInnerHTML={{
          __html: JSON.stringify(structured(path, fullTitle, description, address)).replaceAll('<', '\\u003c'),
        }}
      />
    </>
  );
}

function textOf(path: SitePath): Pick<PageText, 'title' | 'description'> {
  const text = pageText();
  if (path === '/') return text.landing;
  return text[path.slice(1) as Exclude<keyof typeof text, 'landing'>];
}

function structured(path: SitePath, name: string, description: string, url: string) {
  const context = { '@context': 'https://schema.org', inLanguage: currentLocale() };
  if (path === '/') {
    const organization = {
      '@type': 'Organization',
      '@id': `${origin}/#organization`,
      name: m.brand(),
      url: origin,
      logo: `${origin}/icon-512.png`,
    };
    return {
      ...context,
      '@graph': [
        organization,
        { '@type': 'WebSite', name: m.brand(), url, description, publisher: { '@id': organization['@id'] } },
      ],
    };
  }
  if (path === '/faq') {
    const mainEntity = pageText().faq.items.map(([question, answer]) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    }));
    return { ...context, '@type': 'FAQPage', name, url, mainEntity };
  }
  const home = `${origin}${inLanguage('/', currentLocale())}`;
  const itemListElement = [
    { '@type': 'ListItem', position: 1, name: m.brand(), item: home },
    { '@type': 'ListItem', position: 2, name, item: url },
  ];
  return {
    ...context,
    '@type': 'WebPage',
    name,
    url,
    description,
    breadcrumb: { '@type': 'BreadcrumbList', itemListElement },
  };
}
