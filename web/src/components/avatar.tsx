import { useState } from 'react';

interface AvatarProps {
  name: string;
  /** URL of the user's own picture. */
  picture: string | null | undefined;
  className: string;
}

/** The user's picture; if it does not load, the default picture; if that fails too, the first letter of the name. */
export function Avatar({ name, picture, className }: AvatarProps) {
  const [failed, setFailed] = useState<readonly string[]>([]);
  const source = picture ? [picture, FALLBACK].find((candidate) => !failed.includes(candidate)) : undefined;
  return (
    <span
      aria-hidden
      className={`grid place-items-center shrink-0 rounded-full overflow-hidden bg-accent-soft text-accent font-black ${className}`}
    >
      {source ? (
        <img
          key={source}
          src={source}
          alt=""
          width={256}
          height={256}
          decoding="async"
          className="size-full object-cover"
          onError={() => setFailed((before) => [...before, source])}
        />
      ) : (
        initialOf(name)
      )}
    </span>
  );
}

const FALLBACK = '/avatar.svg';

/** The first letter as a user sees it, not half of a surrogate pair. */
export function initialOf(name: string): string {
  return Array.from(name.trim())[0] ?? '؟';
}
