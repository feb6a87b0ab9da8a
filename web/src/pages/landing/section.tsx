import type { ClaimName } from '@raha/contract/site-claims.ts';
import type { ReactNode } from 'react';
import { When } from '../../components/when.tsx';
import { landingText } from './landing-text.ts';

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly text?: ReactNode;
  readonly aside?: ReactNode;
  readonly demo?: boolean;
  readonly children: ReactNode;
}

/** A part of the landing page with its heading. */
export function Section({ id, title, text, aside, demo = false, children }: SectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="mx-auto max-w-[1280px] px-5 lg:px-10 py-9 lg:py-14">
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4 mb-6 lg:mb-8">
        <div className="max-w-[44rem]">
          <h2 id={`${id}-title`} className="text-2xl lg:text-3xl font-black">
            {title}
            {demo && <DemoMark className="ms-3 align-middle" />}
          </h2>
          {text && <p className="text-text-2 mt-1.5">{text}</p>}
        </div>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Says that what is beside it is simulated. */
export function DemoMark({ className = '' }: { className?: string }) {
  return <span className={`badge bg-surface-2 text-text-2 font-semibold ${className}`}>{landingText().demo}</span>;
}

/** Says that a claim of the operator is only a sample, where it is. */
export function SampleMark({ claim, className = '' }: { readonly claim: ClaimName; readonly className?: string }) {
  return (
    <When holds={`sample-${claim}`}>
      <span className={`badge bg-surface-2 text-text-2 font-semibold ${className}`}>{landingText().sample}</span>
    </When>
  );
}

export function CountryCode({ code, className = '' }: { code: string; className?: string }) {
  return (
    <bdi dir="ltr" className={`font-code text-xs ${className}`} data-country="">
      {code}
    </bdi>
  );
}
