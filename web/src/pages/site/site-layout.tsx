import type { SiteCondition } from '@raha/contract/site-placeholders.ts';
import { version } from '@raha/contract/version.ts';
import { Languages, Menu, Moon, Sun } from 'lucide-react';
import type { ReactNode } from 'react';
import { Logo } from '../../components/logo.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { accountPaths, href, inLanguage, type SitePath } from './site-paths.ts';
import { siteText } from './text/site-text.ts';

/** Head, foot and way past them, the same on every static page. `path` leads to this page in the other language. */
export function SiteLayout({ path, children }: { path: string; children: ReactNode }) {
  return (
    <>
      <a href="#main" className="btn btn-primary btn-sm fixed top-3 start-3 z-50 not-focus:sr-only">
        {m.skip_to_content()}
      </a>
      <SiteHeader path={path} />
      <main id="main">{children}</main>
      <SiteFooter path={path} />
    </>
  );
}

function mainLinks() {
  const { nav } = siteText();
  return [
    [nav.features, href('/#features')],
    [nav.compare, href('/#compare'), 'othersFromToman'],
    [nav.pricing, href('/pricing')],
    [nav.guides, href('/guides')],
    [nav.support, href('/#support')],
    [nav.downloads, href('/downloads')],
  ] as readonly MainLink[];
}

/** With a condition: the part of the landing page that the link leads to is not always there. */
type MainLink = readonly [name: string, to: string, holds?: SiteCondition];

function MainLinks({ links, className }: { readonly links: readonly MainLink[]; readonly className: string }) {
  return links.map(([name, to, holds]) => {
    const link = (
      <a key={to} href={to} className={className}>
        {name}
      </a>
    );
    return holds ? (
      <When key={to} holds={holds}>
        {link}
      </When>
    ) : (
      link
    );
  });
}

function SiteHeader({ path }: { path: string }) {
  const text = siteText();
  return (
    <header className="relative z-30 mx-auto max-w-[1280px] px-5 lg:px-10 h-20 flex items-center gap-8">
      <a href={href('/')} aria-label={m.home_of_brand({ brand: m.brand() })}>
        <Logo name={m.brand()} />
      </a>
      <nav className="hidden lg:flex gap-1 font-medium text-text-2" aria-label={text.nav.label}>
        <MainLinks links={mainLinks()} className="inline-flex items-center min-h-11 px-3 rounded-sm hover:text-text" />
      </nav>
      <div className="ms-auto flex items-center gap-1 sm:gap-2">
        <button type="button" className="icon-btn unscripted:hidden" data-theme-toggle="" aria-label={m.toggle_theme()}>
          <Sun className="size-5 hidden dark:block" aria-hidden="true" />
          <Moon className="size-5 dark:hidden" aria-hidden="true" />
        </button>
        <LanguageLink path={path} className="btn btn-quiet btn-sm max-lg:hidden" />
        <a href={accountPaths.signIn} className="btn btn-ghost btn-sm">
          {text.signIn}
        </a>
        <a href={accountPaths.signIn} className="btn btn-primary btn-sm max-sm:hidden">
          {text.start}
        </a>
        <details className="lg:hidden" data-menu="">
          <summary
            className="icon-btn cursor-pointer list-none [&::-webkit-details-marker]:hidden"
            aria-label={text.menu}
          >
            <Menu className="size-5" aria-hidden="true" />
          </summary>
          <nav
            aria-label={text.nav.label}
            className="card absolute top-[4.5rem] inset-x-4 p-3 grid [box-shadow:var(--edge),var(--shadow-3)] [animation:rise_.2s_var(--ease-out)]"
          >
            <MainLinks
              links={[...mainLinks(), [text.nav.faq, href('/faq')]]}
              className="flex items-center min-h-12 px-4 rounded-sm font-medium hover:bg-surface-2"
            />
            <div className="grid grid-cols-2 gap-2 mt-2 pt-3 border-t border-line">
              <LanguageLink path={path} className="btn btn-ghost btn-sm" />
              <a href={accountPaths.signIn} className="btn btn-primary btn-sm">
                {text.start}
              </a>
            </div>
          </nav>
        </details>
      </div>
    </header>
  );
}

/** The choice is also kept in the cookie that the application reads, so that signing in continues in this language. */
function LanguageLink({ path, className }: { path: string; className: string }) {
  const other = currentLocale() === 'fa' ? 'en' : 'fa';
  return (
    <a href={inLanguage(path, other)} hrefLang={other} lang={other} data-language={other} className={className}>
      <Languages className="size-4" aria-hidden="true" />
      {siteText().otherLanguage}
    </a>
  );
}

function SiteFooter({ path }: { path: string }) {
  const { nav, footer, tagline, demoNote, start } = siteText();
  const page = (name: string, to: SitePath) => [name, href(to)] as const;
  const columns = [
    [
      footer.product,
      [start, accountPaths.signIn],
      page(nav.features, '/features'),
      page(nav.pricing, '/pricing'),
      page(nav.downloads, '/downloads'),
    ],
    [
      footer.help,
      page(nav.guides, '/guides'),
      page(nav.faq, '/faq'),
      page(nav.support, '/support'),
      page(nav.contact, '/contact'),
    ],
    // The blog has its page, but no link until something is written.
    [footer.company, page(nav.privacy, '/privacy'), page(nav.terms, '/terms')],
  ] as const;
  return (
    <footer className="border-t border-line bg-sunken mt-8">
      <div className="mx-auto max-w-[1280px] px-5 lg:px-10 py-10 grid gap-x-8 gap-y-8 lg:grid-cols-[1.5fr_2fr]">
        <div>
          <Logo name={m.brand()} />
          <p className="text-text-2 mt-3">{tagline}</p>
          <LanguageLink path={path} className="btn btn-ghost btn-sm mt-4" />
        </div>
        <nav aria-label={footer.label} className="grid grid-cols-2 sm:grid-cols-3 gap-x-6 gap-y-6">
          {columns.map(([title, ...links]) => (
            <div key={title}>
              <h2 className="text-sm font-bold">{title}</h2>
              <ul className="mt-1 text-sm text-text-2">
                {links.map(([name, to]) => (
                  <li key={to}>
                    <a href={to} className="inline-flex items-center min-h-11 hover:text-text">
                      {name}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
      </div>
      <div className="mx-auto max-w-[1280px] px-5 lg:px-10 pb-8 flex flex-wrap justify-between gap-x-6 gap-y-1 text-xs text-text-3">
        <p>{demoNote}</p>
        <p>
          {m.brand()}
          {m.comma()}
          {m.version()} <bdi dir="ltr">{version}</bdi>
        </p>
      </div>
    </footer>
  );
}
