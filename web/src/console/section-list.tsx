import { useEffect } from 'react';
import { m } from '../text/generated/messages.js';
import { Link } from './link.tsx';
import { isInBar } from './phone-bar.tsx';
import type { Section, SectionGroup } from './section-groups.ts';

/** The sections under their headings. On a phone they are one line that scrolls, without those in the bar at the foot. */
export function SectionList({ groups, current }: { groups: readonly SectionGroup[]; current: Section | undefined }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another section is open, it comes into view
  useEffect(() => {
    document.querySelector('.c-side [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current?.path]);
  return (
    <nav aria-label={m.console_sections()}>
      {groups.map(({ id, name, sections }) => (
        <div key={id} className={sections.every(({ path }) => isInBar(path)) ? 'c-wide' : undefined}>
          {name ? <h2 id={`sections-${id}`}>{name()}</h2> : null}
          <ul aria-labelledby={name ? `sections-${id}` : undefined}>
            {sections.map((section) => (
              <li key={section.path} className={isInBar(section.path) ? 'c-wide' : undefined}>
                <Link to={section.path} isCurrent={section === current}>
                  {section.name()}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
