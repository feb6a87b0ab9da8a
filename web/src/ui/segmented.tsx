import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react';

interface Segment<T extends string> {
  readonly value: T;
  readonly label: string;
  readonly count?: string;
}

interface SegmentedTabsProps<T extends string> {
  label: string;
  panelId: string;
  segments: readonly Segment<T>[];
  value: T;
  onChange(value: T): void;
}

/**
 * Tabs as one segmented control. Arrow keys follow the writing direction: the arrow towards the line's end means next.
 */
export function SegmentedTabs<T extends string>({ label, panelId, segments, value, onChange }: SegmentedTabsProps<T>) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen one is looked up in the document
  useLayoutEffect(() => showChosen(list.current), [value]);
  // Turning a phone changes the width.
  useEffect(() => {
    const showAgain = () => showChosen(list.current);
    window.addEventListener('resize', showAgain);
    return () => window.removeEventListener('resize', showAgain);
  }, []);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const index = nextIndex(
      event,
      segments.findIndex((segment) => segment.value === value),
      segments.length,
    );
    const next = index === undefined ? undefined : segments[index];
    if (!next) return;
    event.preventDefault();
    onChange(next.value);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[index ?? 0]?.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      aria-label={label}
      onKeyDown={onKeyDown}
      className="inline-flex max-w-full overflow-x-auto rounded-md bg-sunken p-1 gap-1 [scrollbar-width:none] dark:bg-surface"
    >
      {segments.map((segment) => (
        <button
          key={segment.value}
          type="button"
          role="tab"
          aria-selected={segment.value === value}
          aria-controls={panelId}
          tabIndex={segment.value === value ? 0 : -1}
          onClick={() => onChange(segment.value)}
          className="flex items-center gap-1.5 min-h-11 px-3.5 rounded-sm text-sm font-medium whitespace-nowrap text-text-2 hover:text-text aria-selected:bg-surface aria-selected:text-text aria-selected:font-bold aria-selected:shadow-1 dark:aria-selected:bg-surface-2 focus-visible:-outline-offset-2"
        >
          {segment.label}
          {segment.count !== undefined && <span className="text-text-3 font-medium">{segment.count}</span>}
        </button>
      ))}
    </div>
  );
}

/** Scrolls the selected tab into view if they do not fit side by side, without scrolling the page. */
function showChosen(list: HTMLElement | null): void {
  const chosen = list?.querySelector('[aria-selected=true]')?.getBoundingClientRect();
  if (!list || !chosen) return;
  const { left, right } = list.getBoundingClientRect();
  list.scrollLeft += Math.min(0, chosen.left - left - EDGE) + Math.max(0, chosen.right - right + EDGE);
}

const EDGE = 4;

function nextIndex(event: KeyboardEvent<HTMLElement>, current: number, length: number): number | undefined {
  const rtl = getComputedStyle(event.currentTarget).direction === 'rtl';
  if (event.key === (rtl ? 'ArrowLeft' : 'ArrowRight')) return (current + 1) % length;
  if (event.key === (rtl ? 'ArrowRight' : 'ArrowLeft')) return (current - 1 + length) % length;
  if (event.key === 'Home') return 0;
  if (event.key === 'End') return length - 1;
  return undefined;
}
