import { placeholder } from '@raha/contract/site-placeholders.ts';
import { BookOpen, LifeBuoy, Mail } from 'lucide-react';
import { Khatam } from '../../components/logo.tsx';
import { DownloadCards, OtherApps } from './download-cards.tsx';
import { CallToAction, Contents, PageFrame, Parts } from './page-frame.tsx';
import { QuestionList } from './question-list.tsx';
import { href, type SitePath } from './site-paths.ts';
import { pageText } from './text/page-text.ts';
import { siteText } from './text/site-text.ts';

/** Shown until the server says what the operator has set, and to readers without JavaScript. */
const supportEmail = placeholder('supportEmail');

export function ProsePage({ path, name }: { path: SitePath; name: 'privacy' | 'terms' | 'guides' }) {
  const text = pageText()[name];
  return (
    <PageFrame path={path} text={text} narrow>
      <Contents parts={text.parts} />
      <Parts parts={text.parts} />
      {name === 'guides' && <CallToAction />}
    </PageFrame>
  );
}

export function FeaturesPage() {
  const text = pageText().features;
  return (
    <PageFrame path="/features" text={text}>
      <Parts parts={text.parts} cards />
      <CallToAction />
    </PageFrame>
  );
}

export function DownloadsPage() {
  const text = pageText().downloads;
  const guide = pageText().guides.parts[0]!;
  return (
    <PageFrame path="/downloads" text={text}>
      <DownloadCards />
      <OtherApps />
      <section aria-labelledby="next" className="mt-12 max-w-[48rem]">
        <h2 id="next" className="text-xl font-black">
          {text.how}
        </h2>
        <ol className="mt-2 grid gap-1.5 text-text-2 ps-5 marker:text-accent marker:font-bold list-(--numerals)">
          {guide.steps?.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </section>
      <CallToAction />
    </PageFrame>
  );
}

export function FaqPage() {
  const text = pageText().faq;
  return (
    <PageFrame path="/faq" text={text} narrow>
      <QuestionList items={text.items} />
      <CallToAction />
    </PageFrame>
  );
}

export function SupportPage() {
  const text = pageText().support;
  const { nav } = siteText();
  const ways = [
    [BookOpen, nav.guides, href('/guides')],
    [LifeBuoy, nav.faq, href('/faq')],
    [Mail, nav.contact, href('/contact')],
  ] as const;
  return (
    <PageFrame path="/support" text={text}>
      <ul className="grid gap-5 sm:grid-cols-3 mb-10">
        {ways.map(([Icon, name, to]) => (
          <li key={to}>
            <a href={to} className="card p-6 flex items-center gap-4 text-lg font-bold hover:bg-surface-2">
              <span className="grid place-items-center size-12 rounded-md bg-accent-soft text-accent">
                <Icon className="size-6" aria-hidden="true" />
              </span>
              {name}
            </a>
          </li>
        ))}
      </ul>
      <Parts parts={text.parts} cards />
    </PageFrame>
  );
}

export function ContactPage() {
  const text = pageText().contact;
  return (
    <PageFrame path="/contact" text={text} narrow>
      <p className="panel p-6 sm:p-8 mb-10 flex items-center gap-4">
        <span className="grid place-items-center size-12 shrink-0 rounded-md bg-accent-soft text-accent">
          <Mail className="size-6" aria-hidden="true" />
        </span>
        <a
          href={`mailto:${supportEmail}`}
          dir="ltr"
          className="text-lg sm:text-xl font-bold text-accent underline underline-offset-4 break-all py-2"
        >
          {supportEmail}
        </a>
      </p>
      <Parts parts={text.parts} />
    </PageFrame>
  );
}

export function BlogPage() {
  const text = pageText().blog;
  return (
    <PageFrame path="/blog" text={text}>
      <div className="card px-6 py-16 grid justify-items-center gap-2 text-center">
        <Khatam className="size-14 text-accent-fill" />
        <h2 className="text-xl font-black mt-2">{text.empty}</h2>
        <p className="text-text-2 max-w-[28rem]">{text.emptyText}</p>
        <a href={href('/guides')} className="btn btn-ghost mt-3">
          {siteText().nav.guides}
        </a>
      </div>
    </PageFrame>
  );
}
