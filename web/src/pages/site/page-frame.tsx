import type { ReactNode } from 'react';
import { GuidePictures } from '../../components/guide-pictures.tsx';
import { SiteLayout } from './site-layout.tsx';
import { accountPaths } from './site-paths.ts';
import type { PageText, Part } from './text/prose.ts';
import { siteText } from './text/site-text.ts';

interface FrameProps {
  readonly path: string;
  readonly text: PageText;
  readonly narrow?: boolean;
  readonly children: ReactNode;
}

/** A page below the landing page: title and lead on the tilework, then its body. */
export function PageFrame({ path, text, narrow = false, children }: FrameProps) {
  const width = narrow ? 'max-w-[54rem]' : 'max-w-[1280px]';
  return (
    <SiteLayout path={path}>
      <div className="relative isolate">
        <div
          aria-hidden="true"
          className="girih absolute inset-x-0 -top-20 h-96 -z-10 opacity-60 [mask-image:radial-gradient(60%_80%_at_50%_20%,#000,transparent)]"
        />
        <div className={`mx-auto ${width} px-5 lg:px-10 pt-6 sm:pt-12 pb-8`}>
          <h1 className="text-3xl sm:text-[2.75rem] sm:leading-[1.4] font-black">{text.title}</h1>
          <p className="text-lg text-text-2 mt-3 max-w-[44rem]">{text.lead}</p>
        </div>
        <div className={`mx-auto ${width} px-5 lg:px-10 pb-14`}>{children}</div>
      </div>
    </SiteLayout>
  );
}

/** Sections of prose; `cards` puts them side by side, and those of the last row fill it. */
export function Parts({ parts, cards = false }: { parts: readonly Part[]; cards?: boolean }) {
  return (
    <div className={cards ? 'flex flex-wrap gap-5' : 'grid gap-9'}>
      {parts.map((part, index) => (
        <section
          key={part.heading}
          aria-labelledby={`part-${index + 1}`}
          className={cards ? 'card p-6 grow basis-full sm:basis-[40%] lg:basis-[30%]' : ''}
        >
          <h2 id={`part-${index + 1}`} className={cards ? 'text-lg font-bold' : 'text-xl font-black'}>
            {part.heading}
          </h2>
          {part.paragraphs?.map((paragraph) => (
            <p key={paragraph} className="mt-2 text-text-2">
              {paragraph}
            </p>
          ))}
          {part.points && (
            <ul className="mt-2 grid gap-1.5 text-text-2 list-disc ps-5 marker:text-accent">
              {part.points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          )}
          {part.steps && (
            <ol className="mt-2 grid gap-1.5 text-text-2 ps-5 marker:text-accent marker:font-bold list-(--numerals)">
              {part.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>
          )}
          {part.pictures && <GuidePictures names={part.pictures} filename="raha-de-1a2b.conf" layout="page" />}
        </section>
      ))}
    </div>
  );
}

/** The addresses of the parts of a long page. */
export function Contents({ parts }: { parts: readonly Part[] }) {
  return (
    <nav aria-label={siteText().onThisPage} className="flex flex-wrap gap-2 mb-10">
      {parts.map((part, index) => (
        <a key={part.heading} href={`#part-${index + 1}`} className="btn btn-ghost btn-sm">
          {part.heading}
        </a>
      ))}
    </nav>
  );
}

export function CallToAction() {
  const text = siteText();
  return (
    <aside className="card mt-10 px-6 py-6 flex flex-wrap items-center justify-between gap-4">
      <div>
        <p className="text-lg font-bold">{text.ctaTitle}</p>
        <p className="text-text-2">{text.ctaText}</p>
      </div>
      <a href={accountPaths.signIn} className="btn btn-primary max-sm:w-full">
        {text.start}
      </a>
    </aside>
  );
}
