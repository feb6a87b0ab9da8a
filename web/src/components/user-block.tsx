import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { User } from '@raha/contract/public/auth.ts';
import { Link } from '../routes/link.tsx';
import { m } from '../text/generated/messages.js';
import { Avatar } from './avatar.tsx';
import { LogOutButton } from './log-out-button.tsx';
import { Presence } from './presence.tsx';

/** The user, whether the panel is live, and the button to sign out. */
export function UserBlock({ me, live }: { me: User; live: boolean }) {
  const name = me.fullName || me.name || me.email;
  return (
    <div className="flex items-center gap-3 rounded-lg p-2" data-testid="user">
      <Link to={paths.profile} aria-label={m.nav_profile()} className="rounded-full" tabIndex={-1}>
        <Avatar name={name} picture={me.avatar} className="size-11 text-lg" />
      </Link>
      <div className="flex-1 min-w-0 leading-snug">
        <p className="text-sm font-bold truncate">
          <bdi>{name}</bdi>
        </p>
        <p className="text-xs text-text-3 truncate rtl:text-end" dir="ltr">
          <bdi>{me.email}</bdi>
        </p>
        <Presence live={live} service={me.service} />
      </div>
      <LogOutButton className="icon-btn" />
    </div>
  );
}
