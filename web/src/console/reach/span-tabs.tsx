import { type ReachSpan, reachSpans } from '@raha/contract/admin/reach.ts';
import { m } from '../../text/generated/messages.js';
import { Link } from '../link.tsx';
import { spanNames } from './words.ts';

/** The span stands in the address. */
export function SpanTabs({ base, span }: { base: string; span: ReachSpan }) {
  return (
    <nav aria-label={m.console_reach_span()} className="c-report-tabs">
      {reachSpans.map((name) => (
        <Link key={name} to={`${base}?span=${name}`} className="c-link" isCurrent={name === span}>
          {spanNames[name]()}
        </Link>
      ))}
    </nav>
  );
}
