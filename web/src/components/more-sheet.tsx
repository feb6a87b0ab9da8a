import type { User } from '@raha/contract/public/auth.ts';
import { useQueryClient } from '@tanstack/react-query';
import { RefreshCw, SunMoon } from 'lucide-react';
import { Link } from '../routes/link.tsx';
import { m } from '../text/generated/messages.js';
import { textDirection } from '../text/locale.ts';
import Sheet from '../ui/sheet.tsx';
import { toggleTheme } from '../ui/theme.ts';
import { InstallButton } from './install-button.tsx';
import type { NavItem } from './nav-item.ts';
import { refreshBalance } from './refresh-balance.ts';
import { UserBlock } from './user-block.tsx';

interface MoreSheetProps {
  items: readonly NavItem[];
  me: User | undefined;
  live: boolean;
  onClose(): void;
}

const row =
  'flex items-center gap-3 w-full min-h-12 px-3 rounded-md font-medium text-start hover:bg-surface-2 aria-[current=page]:font-bold aria-[current=page]:bg-surface-2';

/** On phones: the sections and buttons for which the bar and the header have no room. */
export default function MoreSheet({ items, me, live, onClose }: MoreSheetProps) {
  const queries = useQueryClient();
  return (
    <Sheet title={m.more_title()} closeLabel={m.close()} direction={textDirection()} onClose={onClose}>
      <ul className="grid gap-1 -mx-2">
        {items.map(({ to, label, icon: Icon }) => (
          <li key={to}>
            <Link to={to} className={row} onClick={onClose}>
              <Icon className="size-5 text-text-3" aria-hidden />
              {label}
            </Link>
          </li>
        ))}
        <li>
          <button
            type="button"
            className={row}
            onClick={() => {
              void refreshBalance(queries);
              onClose();
            }}
          >
            <RefreshCw className="size-5 text-text-3" aria-hidden />
            {m.refresh_balance()}
          </button>
        </li>
        <li>
          <button type="button" className={row} onClick={toggleTheme}>
            <SunMoon className="size-5 text-text-3" aria-hidden />
            {m.toggle_theme()}
          </button>
        </li>
      </ul>
      <div className="-mx-2">
        <InstallButton className={row} />
      </div>
      {me && (
        <div className="mt-3 border-t border-line pt-3">
          <UserBlock me={me} live={live} />
        </div>
      )}
    </Sheet>
  );
}
