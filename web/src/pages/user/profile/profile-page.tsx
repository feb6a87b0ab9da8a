import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { FailureCard } from '../../../components/failure-card.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useTitle } from '../../../components/use-title.ts';
import { navigate, useSearch } from '../../../routes/navigation.ts';
import { type ProfileTab, profileTabs } from '../../../routes/search.ts';
import { m } from '../../../text/generated/messages.js';
import { SegmentedTabs } from '../../../ui/segmented.tsx';
import { PersonalTab } from './personal-tab.tsx';
import { profileQuery } from './profile-api.ts';

const SecurityTab = lazy(() => import('./security-tab.tsx'));
const SettingsTab = lazy(() => import('./settings-tab.tsx'));
const UsageTab = lazy(() => import('./usage-tab.tsx'));

const labels: Readonly<Record<ProfileTab, () => string>> = {
  personal: m.profile_tab_personal,
  security: m.profile_tab_security,
  settings: m.profile_tab_settings,
  usage: m.profile_tab_usage,
};

/** Four tabs with an address each: the browser's back button goes through them. */
export default function ProfilePage() {
  useTitle(m.profile_title());
  const { tab = 'personal' } = useSearch('/user/profile');
  return (
    <>
      <PageHeading title={m.profile_title()} />
      <SegmentedTabs
        label={m.profile_tabs()}
        panelId="profile-panel"
        segments={profileTabs.map((value) => ({ value, label: labels[value]() }))}
        value={tab}
        onChange={(next) =>
          void navigate({ to: '/user/profile', search: next === 'personal' ? {} : { tab: next }, resetScroll: false })
        }
      />
      <div id="profile-panel" role="tabpanel" aria-label={labels[tab]()} className="mt-5">
        <Suspense fallback={<TabSkeleton />}>
          <Tab tab={tab} />
        </Suspense>
      </div>
    </>
  );
}

function Tab({ tab }: { tab: ProfileTab }) {
  const profile = useQuery(profileQuery);
  if (profile.isError && !profile.data) {
    return (
      <FailureCard
        title={m.profile_failed()}
        error={profile.error}
        busy={profile.isFetching}
        onRetry={() => void profile.refetch()}
      />
    );
  }
  if (!profile.data) return <TabSkeleton />;
  if (tab === 'security') return <SecurityTab profile={profile.data} />;
  if (tab === 'settings') return <SettingsTab profile={profile.data} />;
  if (tab === 'usage') return <UsageTab profile={profile.data} />;
  return <PersonalTab profile={profile.data} />;
}

function TabSkeleton() {
  return (
    <div role="status" aria-label={m.loading()} className="panel p-4 sm:p-6 grid gap-4">
      <div className="skeleton h-24" />
      <div className="skeleton h-12" />
      <div className="skeleton h-12" />
    </div>
  );
}
