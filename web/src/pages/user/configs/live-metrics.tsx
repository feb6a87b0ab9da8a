import { screen } from '@raha/contract/screen-timings.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { metricsQuery } from '../../../api/queries.ts';
import { bitRate, bytes, milliseconds } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

/** What the server measures of the current tunnel, asked every five seconds while this is on the screen. */
export function LiveMetrics({ configId }: { configId: string }) {
  const measured = useQuery({ ...metricsQuery, refetchInterval: screen.metricsPollMs }).data;
  // Another device may have come meanwhile: its figures are not this one's.
  const metrics = measured?.configId === configId ? measured : undefined;
  const unknown = (
    <>
      <span aria-hidden>—</span>
      <span className="sr-only">{m.not_measured()}</span>
    </>
  );
  return (
    <dl className="flex flex-wrap gap-x-7 gap-y-3 mt-4 text-sm text-on-night-2 sm:max-w-1/2">
      <Metric label={m.download_speed()}>{metrics ? bitRate(metrics.downloadSpeed) : unknown}</Metric>
      <Metric label={m.upload_speed()}>{metrics ? bitRate(metrics.uploadSpeed) : unknown}</Metric>
      <Metric label={m.ping()}>{metrics?.ping == null ? unknown : milliseconds(metrics.ping)}</Metric>
      <Metric label={m.transferred()}>{metrics ? bytes(metrics.bytesTransferred) : unknown}</Metric>
    </dl>
  );
}

function Metric({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="min-w-24">
      <dt>{label}</dt>
      <dd className="num font-bold text-on-night">{children}</dd>
    </div>
  );
}
