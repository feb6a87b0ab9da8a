import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { WifiOff } from 'lucide-react';
import { useHistoryEntry } from '../routes/navigation.ts';
import { m } from '../text/generated/messages.js';
import { useOnline } from './use-online.ts';

/** Shown while the device has no network; the dashboard says so itself, with the time of its figures. */
export function OfflineBanner() {
  const online = useOnline();
  const isDashboard = useHistoryEntry().pathname === paths.dashboard;
  return (
    <div role="status">
      {!online && !isDashboard && (
        <p className="flex items-center justify-center gap-2 bg-spark-soft text-spark-text px-4 py-2 text-sm font-bold">
          <WifiOff className="size-4 shrink-0" aria-hidden />
          {m.offline()}
        </p>
      )}
    </div>
  );
}
