import { mark } from '../gen/star.ts';
import { m } from '../text/generated/messages.js';
import { Link } from './link.tsx';

/** What is needed on the way, in this order; the search stands in the middle. Drawn on 24 × 24. */
const drawings: ReadonlyMap<string, string> = new Map([
  ['/admin', 'M5 6h14M5 12h14M5 18h9'],
  ['/admin/people', 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c.6-3.4 3.4-5 7-5s6.4 1.6 7 5'],
  ['/admin/payments', 'M4 7h16v11H4zM4 11h16M8 15h3'],
  ['/admin/nodes', 'M5 5h14v5H5zM5 14h14v5H5zM8.5 7.5h.01M8.5 16.5h.01'],
]);

/** Whether a section is in the bar, and therefore not in the line of sections above a phone's page. */
export const isInBar = (path: string) => drawings.has(path);

interface Props {
  /** Those that the role may see. */
  readonly sections: readonly { readonly path: string; readonly name: () => string }[];
  readonly current: string | undefined;
  onSearch(): void;
}

/** At the foot of a phone's screen, where the thumb is: four sections and the search. Wider screens hide it. */
export function PhoneBar({ sections, current, onSearch }: Props) {
  const links = sections
    .filter(({ path }) => isInBar(path))
    .map(({ path, name }) => (
      <Link key={path} to={path} isCurrent={path === current}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d={drawings.get(path)} />
        </svg>
        {name()}
      </Link>
    ));
  const half = Math.ceil(links.length / 2);
  return (
    <nav className="c-bar" aria-label={m.console_bar()}>
      {links.slice(0, half)}
      <button type="button" aria-label={m.console_palette()} onClick={onSearch}>
        <svg viewBox="0 0 24 24" className="c-star" aria-hidden="true">
          <path d={mark} />
          <circle cx="12" cy="12" r="3.1" className="c-spark" />
        </svg>
      </button>
      {links.slice(half)}
    </nav>
  );
}
