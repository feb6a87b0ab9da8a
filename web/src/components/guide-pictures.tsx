import type { ReactNode } from 'react';
import { number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { textDirection } from '../text/locale.ts';

export type PictureName = 'install' | 'save' | 'add' | 'import' | 'pick' | 'switch' | 'ios_install' | 'ios_vpn';

const captions: Record<PictureName, () => string> = {
  install: m.picture_install,
  save: m.picture_save,
  add: m.picture_add,
  import: m.picture_import,
  pick: m.picture_pick,
  switch: m.picture_switch,
  ios_install: m.picture_ios_install,
  ios_vpn: m.picture_ios_vpn,
};

interface GuidePicturesProps {
  readonly names: readonly PictureName[];
  readonly filename: string;
  /** How they are laid out: `row` scrolls sideways, as in a dialog; `page` breaks into rows. */
  readonly layout: 'row' | 'page';
}

/**
 * What the screens of a step look like: drawn by us, in the colours of the theme. The captions say the same in words.
 * Colours are attributes and not classes, so that the pictures on the guides' page add nothing to every page's styles.
 */
export function GuidePictures({ names, filename, layout }: GuidePicturesProps) {
  if (layout === 'page') {
    return (
      <div className="grid grid-cols-2 sm:grid-cols-3 gap-4 mt-5">
        {names.map((name, index) => (
          <figure key={name}>
            <Picture name={name} filename={filename} />
            <Caption name={name} index={index} className="text-sm" />
          </figure>
        ))}
      </div>
    );
  }
  return (
    <section
      aria-label={m.pictures()}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard scrolls what has the focus
      tabIndex={0}
      className="flex gap-3 overflow-x-auto overscroll-x-contain pb-2 mt-3"
    >
      {names.map((name, index) => (
        <figure key={name} className="w-56 max-w-[75%] shrink-0">
          <Picture name={name} filename={filename} />
          <Caption name={name} index={index} className="text-xs" />
        </figure>
      ))}
    </section>
  );
}

function Caption({ name, index, className }: { name: PictureName; index: number; className: string }) {
  return (
    <figcaption className={`mt-1.5 font-semibold ${className}`}>
      <span className="text-accent">{number(index + 1)}.</span> {captions[name]()}
    </figcaption>
  );
}

/** One of them, for those who lay them out otherwise. */
export function Picture({ name, filename }: { name: PictureName; filename: string }) {
  switch (name) {
    case 'install':
      return (
        <Phone end="top" shapes={<Store />}>
          <Label y={56}>WireGuard</Label>
          <Label y={121} marked>
            {m.picture_install_option()}
          </Label>
        </Phone>
      );
    case 'save':
      return (
        <Phone end="top" shapes={<Save />}>
          <Label y={49}>{m.brand()}</Label>
          <Label y={121} marked>
            {m.picture_save()}
          </Label>
        </Phone>
      );
    case 'add':
      return (
        <Phone end="bottom" shapes={<AddButton />}>
          <Label y={30}>WireGuard</Label>
        </Phone>
      );
    case 'import':
      return (
        <Phone end="bottom" shapes={<OpenMenu />}>
          <Label y={82} marked>
            {m.picture_import_option()}
          </Label>
          <Label y={97} small>
            Import from file or archive
          </Label>
        </Phone>
      );
    case 'pick':
      return (
        <Phone end="top" shapes={<Rows />}>
          <Label y={49}>{m.picture_downloads()}</Label>
          <Label y={99} marked>
            {filename}
          </Label>
        </Phone>
      );
    case 'switch':
      return (
        <Phone end="top" shapes={<Toggle hasQuestion />}>
          <Label y={49}>WireGuard</Label>
          <Label y={156}>{m.picture_request()}</Label>
          <Label y={184} marked>
            {m.picture_allow()}
          </Label>
        </Phone>
      );
    case 'ios_install':
      return (
        <Phone end="top" shapes={<Rows />}>
          <Label y={49}>{m.picture_settings()}</Label>
          <Label y={99} marked>
            Profile Downloaded
          </Label>
        </Phone>
      );
    case 'ios_vpn':
      return (
        <Phone end="top" shapes={<Toggle />}>
          <Label y={49}>VPN</Label>
        </Phone>
      );
  }
}

/** A phone of which one end is seen. Its shapes are mirrored where the apps are read from left to right. */
function Phone({ end, shapes, children }: { end: 'top' | 'bottom'; shapes: ReactNode; children: ReactNode }) {
  const y = end === 'top' ? 14 : -100;
  return (
    <svg aria-hidden="true" viewBox="0 0 240 214" className="w-full rounded-md bg-surface-2" fill="none">
      <g transform={textDirection() === 'rtl' ? undefined : 'matrix(-1 0 0 1 240 0)'}>
        <rect x="46" y={y} width="148" height="300" rx="24" fill={surface} stroke={line} strokeWidth="1.5" />
        {shapes}
      </g>
      {children}
    </svg>
  );
}

const surface = 'var(--surface)';
const well = 'var(--surface-2)';
const line = 'var(--line)';
const chart = 'var(--chart)';

interface LabelProps {
  /** The base line of the words, in units of the picture. */
  readonly y: number;
  /** What is pressed. */
  readonly marked?: boolean;
  readonly small?: boolean;
  readonly children: string;
}

function Label({ y, marked = false, small = false, children }: LabelProps) {
  return (
    <text
      x="120"
      y={y}
      textAnchor="middle"
      fontSize={small ? 9 : 12}
      fontWeight={small ? 500 : 700}
      fill={marked ? 'var(--accent)' : small ? 'var(--text-2)' : 'var(--text)'}
    >
      {children}
    </text>
  );
}

/** The mark around what is pressed. */
function Mark({ y }: { y: number }) {
  return (
    <>
      <rect x="51" y={y - 5} width="138" height="52" rx="16" fill={chart} opacity=".15" />
      <rect x="56" y={y} width="128" height="42" rx="12" fill="var(--accent-soft)" stroke={chart} strokeWidth="2.5" />
    </>
  );
}

/** Stands for text that does not matter. */
function Bars({ y }: { y: number }) {
  return (
    <>
      <rect x="66" y={y} width="108" height="8" rx="4" fill={well} />
      <rect x="90" y={y + 16} width="84" height="8" rx="4" fill={well} />
    </>
  );
}

function Store() {
  return (
    <>
      <rect x="90" y="68" width="60" height="8" rx="4" fill={well} />
      <Mark y={96} />
      <Bars y={158} />
      <Bars y={194} />
    </>
  );
}

function Save() {
  return (
    <>
      <Bars y={62} />
      <Mark y={96} />
      <path d="M120 154v30m-11-11 11 11 11-11M100 196h40" stroke={chart} strokeWidth="4" strokeLinecap="round" />
    </>
  );
}

function AddButton() {
  return (
    <>
      <rect x="47" y="46" width="146" height="1.2" fill={line} />
      <Bars y={74} />
      <circle cx="82" cy="160" r="26" fill={chart} opacity=".15" />
      <circle cx="82" cy="160" r="17" fill={chart} />
      <path d="M82 153v14m-7-7h14" stroke={surface} strokeWidth="2.6" strokeLinecap="round" />
    </>
  );
}

function OpenMenu() {
  return (
    <>
      <rect x="46" y="-100" width="148" height="300" rx="24" fill="var(--text)" opacity=".1" />
      <path
        d="M46 70a20 20 0 0 1 20-20h108a20 20 0 0 1 20 20v106a24 24 0 0 1-24 24H70a24 24 0 0 1-24-24z"
        fill={surface}
        stroke={line}
      />
      <Mark y={62} />
      <Bars y={124} />
      <Bars y={160} />
    </>
  );
}

function Rows() {
  return (
    <>
      <Mark y={74} />
      <Bars y={140} />
      <Bars y={178} />
    </>
  );
}

function Toggle({ hasQuestion = false }: { hasQuestion?: boolean }) {
  return (
    <>
      <rect x="47" y="66" width="146" height="1.2" fill={line} />
      <rect x="116" y="92" width="60" height="8" rx="4" fill={well} />
      <circle cx="82" cy="96" r="25" fill={chart} opacity=".15" />
      <rect x="66" y="87" width="32" height="18" rx="9" fill={chart} />
      <circle cx="75" cy="96" r="6.5" fill={surface} />
      {hasQuestion ? (
        <rect x="58" y="134" width="124" height="68" rx="14" fill={surface} stroke={line} strokeWidth="1.5" />
      ) : (
        <>
          <Bars y={140} />
          <Bars y={178} />
        </>
      )}
    </>
  );
}
