import { useEffect, useState } from 'react';
import { useRouter } from '../routes/navigation.ts';
import { m } from '../text/generated/messages.js';

/** On a fast connection the screen has loaded before this. */
const PATIENCE_MS = 250;

/** Shown while a requested screen loads: without it, a press on a slow connection seems to do nothing. */
export function Arriving() {
  const isLoading = useRouter((state) => state.isLoading);
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!isLoading) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  if (!shown) return null;
  return (
    <div
      role="status"
      aria-label={m.loading()}
      className="fixed inset-x-0 top-0 z-50 h-1 bg-accent [animation:breathe_1.1s_ease-in-out_infinite]"
    />
  );
}
