import { m } from '../../../text/generated/messages.js';

export function ConfigsSkeleton() {
  return (
    <div role="status" aria-label={m.loading()}>
      <div className="skeleton h-60 !rounded-xl" />
      <div className="skeleton h-13 w-72 max-w-full !rounded-md mt-8" />
      <div className="config-cards mt-4">
        {[0, 1, 2].map((index) => (
          <div key={index} className="skeleton h-72 !rounded-lg" />
        ))}
      </div>
    </div>
  );
}
