import { limits } from '@raha/contract/limits.ts';
import type { User } from '@raha/contract/public/auth.ts';
import { useNavigate } from '@tanstack/react-router';
import { LogOut, ShieldCheck, SunMoon } from 'lucide-react';
import { lazy, Suspense, useRef, useState } from 'react';
import { api } from '../api/client.ts';
import { isAdmin, isAgent } from '../api/roles.ts';
import { clearSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { m } from '../text/generated/messages.js';
import { textDirection } from '../text/locale.ts';
import { toggleTheme } from '../ui/theme.ts';

const loadMenu = () => import('../ui/anchored-menu.tsx');
const AnchoredMenu = lazy(loadMenu);

export function AccountButton({ name, me }: { name: string; me: User }) {
  const navigate = useNavigate();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const leaving = useRef(false);

  const leave = async () => {
    if (leaving.current) return;
    leaving.current = true;
    // The person wants out: whether the server hears of it or not, this browser forgets the session.
    await api.logout().catch(() => undefined);
    clearSession();
    setTimeout(() => location.assign(paths.landing), limits.logoutRedirectMs);
  };

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
        className="grid place-items-center size-11 shrink-0 rounded-full bg-accent-soft text-accent text-lg font-black"
      >
        <span aria-hidden>{initialOf(name)}</span>
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
              {
                label: m.security_title(),
                icon: ShieldCheck,
                onChoose: () => void navigate({ to: paths.security }),
              },
              { label: m.toggle_theme(), icon: SunMoon, onChoose: toggleTheme },
              { label: m.log_out(), icon: LogOut, onChoose: () => void leave() },
            ]}
          />
        </Suspense>
      )}
    </>
  );
}

function roleName(me: User): string {
  if (isAdmin(me)) return m.role_admin();
  return isAgent(me) ? m.role_agent() : m.role_user();
}

/** The first letter as a person sees it, not half of a surrogate pair. */
function initialOf(name: string): string {
  return Array.from(name.trim())[0] ?? '؟';
}
