import { lazy, Suspense } from 'react';
import { now } from '../../../api/clock.ts';
import { hasService } from '../../../api/session.ts';
import { ActivationBanner } from '../../../components/activation-banner.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useTitle } from '../../../components/use-title.ts';
import { navigate, useSearch } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { SegmentedTabs } from '../../../ui/segmented.tsx';

const DemoAssistant = lazy(() => import('./demo-assistant.tsx'));
const RealAssistant = lazy(() => import('./real-assistant.tsx'));

/** ARIA: over the servers that there are, or as a demonstration over places that only show how it works. */
export default function ServersPage() {
  useTitle(m.aria_title());
  const me = useMe();
  const { mode = 'real' } = useSearch('/user/servers');
  const isDemo = mode === 'demo';
  return (
    <>
      <PageHeading title={m.aria_title()} text={m.aria_text()} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3 mb-4">
        <SegmentedTabs
          label={m.aria_mode()}
          panelId="assistant"
          segments={[
            { value: 'real', label: m.aria_mode_real() },
            { value: 'demo', label: m.aria_mode_demo() },
          ]}
          value={mode}
          onChange={(next) => void navigate({ search: next === 'demo' ? { mode: next } : {}, replace: true })}
        />
        <p
          className={`text-sm ${isDemo ? 'rounded-md bg-spark-soft text-spark-text font-medium px-3 py-1.5' : 'text-text-2'}`}
        >
          {isDemo ? m.aria_demo_note() : m.aria_real_note()}
        </p>
      </div>
      <div role="tabpanel" id="assistant" aria-label={isDemo ? m.aria_mode_demo() : m.aria_mode_real()}>
        <Suspense fallback={<div className="skeleton h-96" role="status" aria-label={m.loading()} />}>
          {isDemo ? (
            <DemoAssistant />
          ) : hasService(me, now()) ? (
            <RealAssistant />
          ) : (
            <ActivationBanner text={m.aria_needs_activation()} />
          )}
        </Suspense>
      </div>
    </>
  );
}
