import { ToastRegion } from '../ui/toast-region.tsx';
import { OfflineBanner } from './offline-banner.tsx';
import { SampleBanner } from './sample-banner.tsx';

/** What may appear over any screen. It loads beside the first one, because nothing waits for it. */
export default function Notices() {
  return (
    <>
      <OfflineBanner />
      <SampleBanner />
      <ToastRegion />
    </>
  );
}
