import { ToastRegion } from '../ui/toast-region.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { SampleBanner } from './sample-banner.tsx';

/** Banners and toasts that may appear over any screen. */
export function Overlays() {
  return (
    <>
      <OfflineBanner />
      <SampleBanner />
      <ToastRegion />
    </>
  );
}
