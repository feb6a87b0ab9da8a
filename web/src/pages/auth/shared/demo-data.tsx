import { Clapperboard, Gamepad2, Music, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { bitRate, number, signedNumber } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { brandName } from '../../../text/site-values.ts';
import type { DemoSlide } from './demo-slides.ts';

const icons = { video: Clapperboard, music: Music, games: Gamepad2 };

export function DemoData({ slide }: { slide: DemoSlide }) {
  return (
    <div className="border-t border-line pt-3 mt-3">
      {slide.type === 'speed-test' && <Speed {...slide.data} />}
      {slide.type === 'location-access' && <Access {...slide.data} />}
      {slide.type === 'security-analysis' && <Security {...slide.data} />}
    </div>
  );
}

type DataOf<T extends DemoSlide['type']> = Extract<DemoSlide, { type: T }>['data'];

function Speed({ before, after, improvement }: DataOf<'speed-test'>) {
  return (
    <dl className="grid grid-cols-3 divide-x divide-line">
      <Figure label={m.demo_before()}>{bitRate(before.download * 1_000_000)}</Figure>
      <Figure label={m.demo_after({ brand: brandName() })}>{bitRate(after.download * 1_000_000)}</Figure>
      <Figure label={m.demo_improvement()}>
        <span className="text-success">{m.percent({ value: signedNumber(improvement.download) })}</span>
      </Figure>
    </dl>
  );
}

function Access({ available_content, streaming_quality }: DataOf<'location-access'>) {
  return (
    <>
      <ul className="grid grid-cols-3 gap-2 text-center text-xs text-text-2">
        {available_content.map(({ icon, name }) => {
          const Icon = icons[icon];
          return (
            <li key={name} className="grid justify-items-center gap-0.5">
              <Icon className="size-5 text-accent" aria-hidden />
              {name}
            </li>
          );
        })}
      </ul>
      <p className="text-xs text-text-3 text-center mt-1.5">
        {m.demo_quality()} <bdi className="font-bold text-text">{streaming_quality}</bdi>
      </p>
    </>
  );
}

function Security(data: DataOf<'security-analysis'>) {
  const onOff = [
    [m.demo_kill_switch(), data.kill_switch],
    [m.demo_dns(), data.dns_protection],
  ] as const;
  return (
    <>
      <ul className="flex flex-wrap gap-x-4 text-xs text-text-2">
        {onOff
          .filter(([, isOn]) => isOn)
          .map(([label]) => (
            <li key={label} className="flex items-center gap-1">
              <ShieldCheck className="size-4 text-success" aria-hidden />
              {label} {m.demo_on()}
            </li>
          ))}
        <li>
          <bdi dir="ltr">
            {data.protocol} · {data.encryption}
          </bdi>
        </li>
      </ul>
      <dl className="grid grid-cols-2 divide-x divide-line mt-1.5">
        <Figure label={m.demo_score()}>{m.percent({ value: number(data.security_score) })}</Figure>
        <Figure label={m.demo_threats()}>{number(data.threats_blocked)}</Figure>
      </dl>
    </>
  );
}

function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="px-3 first:ps-0">
      <dt className="text-xs text-text-3">{label}</dt>
      <dd className="font-bold text-sm">{children}</dd>
    </div>
  );
}
