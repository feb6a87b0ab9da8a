import type { ReactNode } from 'react';
import { m } from '../text/generated/messages.js';

const isMac = /mac/i.test(navigator.platform);
const PALETTE_KEYS = isMac ? '⌘K' : 'Ctrl K';

/** Above each screen of a desk: where one is, and the search. Phones have the search in the bar at the foot. */
export function TopBar({ section, onSearch }: { section: string | undefined; onSearch: () => void }) {
  return (
    <div className="c-top">
      <span>{section}</span>
      <button type="button" aria-keyshortcuts="Control+K Meta+K" onClick={onSearch}>
        {m.console_find()}
        <span aria-hidden="true">
          <kbd>{PALETTE_KEYS}</kbd>
        </span>
      </button>
    </div>
  );
}

/** Below each screen of a desk: the keys that do something here. Those of rows stand there while there are rows (`page-edges.css`). */
export function KeyLine({ mayFindPeople }: { mayFindPeople: boolean }) {
  return (
    <footer className="c-foot">
      <Key keys={['J', 'K']} className="c-of-rows">
        {m.console_key_move()}
      </Key>
      <Key keys={['Enter']} className="c-of-links">
        {m.console_key_open()}
      </Key>
      <Key keys={['X']} className="c-of-picks">
        {m.console_key_pick()}
      </Key>
      {mayFindPeople ? <Key keys={['/']}>{m.console_people_search()}</Key> : null}
      <Key keys={[PALETTE_KEYS]}>{m.console_find()}</Key>
    </footer>
  );
}

function Key({ keys, className, children }: { keys: readonly string[]; className?: string; children: ReactNode }) {
  return (
    <span className={className}>
      <bdi dir="ltr">
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </bdi>
      {children}
    </span>
  );
}
