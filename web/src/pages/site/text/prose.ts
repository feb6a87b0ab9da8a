import type { PictureName } from '../../../components/guide-pictures.tsx';

/** A part of a page of prose. `steps` are numbered, `points` are not. */
export interface Part {
  readonly heading: string;
  readonly paragraphs?: readonly string[];
  readonly points?: readonly string[];
  readonly steps?: readonly string[];
  /** Drawings of what the steps say. */
  readonly pictures?: readonly PictureName[];
}

export interface PageText {
  readonly title: string;
  readonly description: string;
  readonly lead: string;
}

export interface Prose extends PageText {
  readonly parts: readonly Part[];
}

export type PageTexts = Readonly<Record<'features' | 'guides' | 'privacy' | 'terms' | 'contact' | 'support', Prose>> & {
  readonly landing: { readonly title: string; readonly description: string };
  readonly downloads: PageText & {
    readonly how: string;
    readonly others: {
      readonly heading: string;
      /** What it is for, which app it takes, and where that comes from, if there is one. */
      readonly items: readonly (readonly [name: string, app: string, source?: string])[];
    };
    readonly get: string;
    readonly guide: string;
    readonly version: string;
    readonly versionText: string;
    readonly cards: readonly { readonly name: string; readonly text: string; readonly note: string }[];
  };
  readonly pricing: PageText & {
    readonly perGb: string;
    readonly cents: string;
    readonly perGbNote: string;
    readonly inCents: string;
    readonly plans: Readonly<
      Record<
        | 'heading'
        | 'lead'
        | 'days'
        | 'gigabytes'
        | 'unlimited'
        | 'devices'
        | 'speedBefore'
        | 'speedAfter'
        | 'fromBefore'
        | 'fromAfter',
        string
      >
    >;
    readonly examples: string;
    readonly examplesNote: string;
    readonly gigabytes: string;
    readonly parts: readonly Part[];
  };
  readonly faq: PageText & { readonly items: readonly (readonly [string, string])[] };
  readonly blog: PageText & { readonly empty: string; readonly emptyText: string };
};
