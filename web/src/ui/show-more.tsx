import { type RefObject, useEffect, useRef, useState } from 'react';
import { number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';

interface Part<T> {
  readonly shown: readonly T[];
  readonly list: RefObject<HTMLUListElement | null>;
  /** How many items the next press adds; 0 if there are no more. */
  readonly next: number;
  more(): void;
}

/**
 * Shows a long list piece by piece. The first new item gets the focus: the button may be gone by then, and a keyboard
 * user would have to start again at the top. Another list (`of`) starts with one piece again.
 */
export function useShownPart<T>(items: readonly T[], step: number, of = ''): Part<T> {
  const [grown, setGrown] = useState({ of, count: step });
  const count = grown.of === of ? grown.count : step;
  const list = useRef<HTMLUListElement>(null);
  const arrived = useRef<number>(undefined);
  useEffect(() => {
    if (arrived.current === undefined) return;
    list.current?.children[arrived.current]?.querySelector<HTMLElement>('a[href], button')?.focus();
    arrived.current = undefined;
  });
  return {
    shown: items.slice(0, count),
    list,
    next: Math.max(0, Math.min(step, items.length - count)),
    more: () => {
      arrived.current = count;
      setGrown({ of, count: count + step });
    },
  };
}

export function ShowMore({ next, more, className }: Pick<Part<unknown>, 'next' | 'more'> & { className: string }) {
  if (next === 0) return null;
  return (
    <button type="button" className={`btn mx-auto flex ${className}`} onClick={more}>
      {m.show_more({ count: number(next) })}
    </button>
  );
}
