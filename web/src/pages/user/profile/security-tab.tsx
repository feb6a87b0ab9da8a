import type { Profile } from '@raha/contract/public/profile.ts';
import { FactorsCard } from '../security/factors-card.tsx';
import { OperatorActions } from '../security/operator-actions.tsx';
import { PasswordCard } from '../security/password-card.tsx';
import { SessionList } from '../security/session-list.tsx';
import { AccountCard } from './account-card.tsx';

export default function SecurityTab({ profile }: { profile: Profile }) {
  return (
    <div className="grid gap-4 sm:gap-5 xl:grid-cols-[1fr_24rem] items-start">
      <div className="grid gap-4 sm:gap-5">
        <SessionList />
        <FactorsCard profile={profile} />
        <OperatorActions />
        <AccountCard profile={profile} />
      </div>
      <PasswordCard email={profile.email} />
    </div>
  );
}
