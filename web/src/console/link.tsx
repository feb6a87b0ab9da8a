import type { MouseEvent, ReactNode } from 'react';
import { goTo } from './path.ts';

interface Props {
  readonly to: string;
  readonly isCurrent?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A link inside the console. With Ctrl or ⌘ it opens a tab, as links do. */
export function Link({ to, isCurrent = false, className, children }: Props) {
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    goTo(to);
  };
  return (
    <a href={to} className={className} aria-current={isCurrent ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  );
}
