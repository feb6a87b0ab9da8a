import { m } from '../../../text/generated/messages.js';

/** The page's own shape while it loads. */
export function DashboardSkeleton() {
  return (
    <div role="status" aria-label={m.loading()} className="grid lg:grid-cols-3 gap-4 sm:gap-5">
      <div className="skeleton rounded-xl h-60 lg:col-span-2" />
      <div className="skeleton rounded-xl h-60" />
      <div className="skeleton rounded-xl h-110 lg:col-span-2" />
      <div className="skeleton rounded-xl h-110" />
      <div className="skeleton rounded-xl h-64 lg:col-span-2" />
      <div className="skeleton rounded-xl h-64" />
    </div>
  );
}
