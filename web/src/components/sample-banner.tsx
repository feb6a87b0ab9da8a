import { FlaskConical } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { usesSamples, watchSamples } from '../api/sample-mode.ts';
import { m } from '../text/generated/messages.js';

/** Shown over every screen while any of its data may be a sample. */
export function SampleBanner() {
  const isShown = useSyncExternalStore(watchSamples, usesSamples);
  return (
    <div role="status">
      {isShown && (
        <p
          data-sample-banner
          className="flex items-center justify-center gap-2 bg-spark-soft text-spark-text px-4 py-2 text-sm font-bold"
        >
          <FlaskConical className="size-4 shrink-0" aria-hidden />
          {m.sample_banner()}
        </p>
      )}
    </div>
  );
}
