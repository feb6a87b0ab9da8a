import { mark } from '../gen/star.ts';

/** The khatam: the eight-point star of Kashan tilework. */
export function Khatam({ className = '' }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" className={className} fill="currentColor" aria-hidden="true">
      <path d={mark} />
    </svg>
  );
}

export function Logo({ name }: { name: string }) {
  return (
    <span className="inline-flex items-center gap-2.5">
      <svg viewBox="0 0 24 24" className="size-9" aria-hidden="true">
        <path d={mark} fill="var(--logo)" />
        <circle cx="12" cy="12" r="3.1" fill="var(--spark)" />
      </svg>
      <b className="text-xl font-black leading-none relative top-[.12em]">{name}</b>
    </span>
  );
}
