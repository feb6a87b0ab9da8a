import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { m } from '../text/generated/messages.js';

/** Shown while the device has no network. */
export function OfflineBanner() {
  const online = useSyncExternalStore(watch, () => navigator.onLine);
  return (
    <div role="status">
      {!online && (
        <p className="flex items-center justify-center gap-2 bg-spark-soft text-spark-text px-4 py-2 text-sm font-bold">
          <WifiOff className="size-4 shrink-0" aria-hidden />
          {m.offline()}
        </p>
      )}
    </div>
  );
}

function watch(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}
