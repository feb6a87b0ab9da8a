import { m } from '../../../text/generated/messages.js';

export function ConfigsSkeleton() {
  return (
    <div role="status" aria-label={m.loading()}>
      <div className="skeleton h-60 !rounded-xl" />
      <div className="skeleton h-13 w-72 max-w-full !rounded-md mt-8" />
      <div className="grid gap-4 sm:gap-5 grid-cols-[repeat(auto-fill,minmax(min(21.5rem,100%),1fr))] mt-4">
        {[0, 1, 2].map((index) => (
          <div key={index} className="skeleton h-72 !rounded-lg" />
        ))}
      </div>
    </div>
  );
}
