import type { ReactNode } from 'react';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

export type PictureName = 'add' | 'import' | 'pick' | 'switch' | 'ios_install' | 'ios_vpn';

const captions: Record<PictureName, () => string> = {
  add: m.picture_add,
  import: m.picture_import,
  pick: m.picture_pick,
  switch: m.picture_switch,
  ios_install: m.picture_ios_install,
  ios_vpn: m.picture_ios_vpn,
};

/** What the screens of a step look like: drawn by us, in the colours of the theme. The captions say the same in words. */
export function GuidePictures({ names, filename }: { names: readonly PictureName[]; filename: string }) {
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
          <figcaption className="mt-1.5 text-xs font-semibold">
            <span className="text-accent">{number(index + 1)}.</span> {captions[name]()}
          </figcaption>
        </figure>
      ))}
    </section>
  );
}

function Picture({ name, filename }: { name: PictureName; filename: string }) {
  switch (name) {
    case 'add':
      return (
        <Phone end="bottom" shapes={<AddButton />}>
          <Label at="top-[8%]">{wireguard}</Label>
        </Phone>
      );
    case 'import':
      return (
        <Phone end="bottom" shapes={<OpenMenu />}>
          <Label at="top-[32%]" marked>
            {m.picture_import_option()}
            <bdi dir="ltr" className="block text-[.55rem] font-medium whitespace-nowrap text-text-2">
              Import from file or archive
            </bdi>
          </Label>
        </Phone>
      );
    case 'pick':
      return (
        <Phone end="top" shapes={<Rows />}>
          <Label at="top-[17%]">{m.picture_downloads()}</Label>
          <Label at="top-[42%]" marked>
            <bdi dir="ltr" className="font-code text-[.7rem]">
              {filename}
            </bdi>
          </Label>
        </Phone>
      );
    case 'switch':
      return (
        <Phone end="top" shapes={<Toggle hasQuestion />}>
          <Label at="top-[17%]">{wireguard}</Label>
          <Label at="top-[67%]">{m.picture_request()}</Label>
          <Label at="top-[79%]" marked>
            {m.picture_allow()} <bdi dir="ltr">(OK)</bdi>
          </Label>
        </Phone>
      );
    case 'ios_install':
      return (
        <Phone end="top" shapes={<Rows />}>
          <Label at="top-[17%]">{m.picture_settings()}</Label>
          <Label at="top-[41%]" marked>
            <bdi dir="ltr">Profile Downloaded</bdi>
          </Label>
        </Phone>
      );
    case 'ios_vpn':
      return (
        <Phone end="top" shapes={<Toggle />}>
          <Label at="top-[17%]">
            <bdi dir="ltr">VPN</bdi>
          </Label>
        </Phone>
      );
  }
}

const wireguard = <bdi dir="ltr">WireGuard</bdi>;

/**
 * A phone of which one end is seen. Its shapes are mirrored where people read from left to right, as the apps are. Words stand
 * above them as HTML, in the page's own letters.
 */
function Phone({ end, shapes, children }: { end: 'top' | 'bottom'; shapes: ReactNode; children: ReactNode }) {
  const y = end === 'top' ? 14 : -100;
  return (
    <div aria-hidden className="relative aspect-[240/214] rounded-md bg-surface-2 overflow-hidden">
      <svg aria-hidden viewBox="0 0 240 214" className="absolute inset-0 size-full ltr:-scale-x-100" fill="none">
        <rect x="46" y={y} width="148" height="300" rx="24" className="fill-surface stroke-line" strokeWidth="1.5" />
        {shapes}
      </svg>
      {children}
    </div>
  );
}

/** `at`: how far down it stands. `marked`: what is pressed. */
function Label({ at, marked = false, children }: { at: string; marked?: boolean; children: ReactNode }) {
  return (
    <p
      className={`absolute inset-x-[20%] text-center leading-tight text-[.68rem] font-bold ${at} ${marked ? 'text-accent' : ''}`}
    >
      {children}
    </p>
  );
}

/** The mark around what is pressed. */
function Mark({ y }: { y: number }) {
  return (
    <>
      <rect x="51" y={y - 5} width="138" height="52" rx="16" className="fill-chart opacity-15" />
      <rect x="56" y={y} width="128" height="42" rx="12" className="fill-accent-soft stroke-chart" strokeWidth="2.5" />
    </>
  );
}

/** Stands for text that does not matter. */
function Bars({ y }: { y: number }) {
  return (
    <>
      <rect x="66" y={y} width="108" height="8" rx="4" className="fill-surface-2" />
      <rect x="90" y={y + 16} width="84" height="8" rx="4" className="fill-surface-2" />
    </>
  );
}

function AddButton() {
  return (
    <>
      <rect x="47" y="46" width="146" height="1.2" className="fill-line" />
      <Bars y={74} />
      <circle cx="82" cy="160" r="26" className="fill-chart opacity-15" />
      <circle cx="82" cy="160" r="17" className="fill-chart" />
      <path d="M82 153v14m-7-7h14" className="stroke-surface" strokeWidth="2.6" strokeLinecap="round" />
    </>
  );
}

function OpenMenu() {
  return (
    <>
      <rect x="46" y="-100" width="148" height="300" rx="24" className="fill-text opacity-10" />
      <path
        d="M46 70a20 20 0 0 1 20-20h108a20 20 0 0 1 20 20v106a24 24 0 0 1-24 24H70a24 24 0 0 1-24-24z"
        className="fill-surface stroke-line"
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
      <rect x="47" y="66" width="146" height="1.2" className="fill-line" />
      <rect x="116" y="92" width="60" height="8" rx="4" className="fill-surface-2" />
      <circle cx="82" cy="96" r="25" className="fill-chart opacity-15" />
      <rect x="66" y="87" width="32" height="18" rx="9" className="fill-chart" />
      <circle cx="75" cy="96" r="6.5" className="fill-surface" />
      {hasQuestion ? (
        <rect x="58" y="132" width="124" height="68" rx="14" className="fill-surface stroke-line" strokeWidth="1.5" />
      ) : (
        <>
          <Bars y={140} />
          <Bars y={178} />
        </>
      )}
    </>
  );
}
