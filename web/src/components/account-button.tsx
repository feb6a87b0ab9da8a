import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { User } from '@raha/contract/public/auth.ts';
import { LogOut, ShieldCheck, SunMoon, UserRound } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { navigate } from '../routes/navigation.ts';
import { m } from '../text/generated/messages.js';
import { textDirection } from '../text/locale.ts';
import { toggleTheme } from '../ui/theme.ts';
import { Avatar } from './avatar.tsx';
import { logOut } from './log-out.ts';
import { roleName } from './role-name.ts';

const loadMenu = () => import('../ui/anchored-menu.tsx');
const AnchoredMenu = lazy(loadMenu);

export function AccountButton({ name, me }: { name: string; me: User }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);

  return (
    <>
      <button
        ref={button}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={m.account_of({ name })}
        onPointerEnter={() => void loadMenu()}
        onFocus={() => void loadMenu()}
        onClick={() => setOpen(!open)}
        className="size-11 shrink-0 rounded-full"
      >
        <Avatar name={name} picture={me.avatar} className="size-11 text-lg" />
      </button>
      {open && button.current && (
        <Suspense>
          <AnchoredMenu
            anchor={button.current}
            direction={textDirection()}
            onClose={() => setOpen(false)}
            header={
              <>
                <p className="font-bold [overflow-wrap:anywhere] line-clamp-3">
                  <bdi>{name}</bdi>
                </p>
                <p className="text-sm text-text-3 [overflow-wrap:anywhere]">
                  <bdi dir="ltr">{me.email}</bdi>
                </p>
                <p className="text-xs text-text-3">{roleName(me)}</p>
              </>
            }
            entries={[
              { label: m.nav_profile(), icon: UserRound, onChoose: () => void navigate({ to: paths.profile }) },
              {
                label: m.security_title(),
                icon: ShieldCheck,
                onChoose: () => void navigate({ to: paths.profile, search: { tab: 'security' } }),
              },
              { label: m.toggle_theme(), icon: SunMoon, onChoose: toggleTheme },
              { label: m.log_out(), icon: LogOut, onChoose: () => void logOut() },
            ]}
          />
        </Suspense>
      )}
    </>
  );
}
