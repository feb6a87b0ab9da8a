import { useEffect, useState } from 'react';

/**
 * Which way the page is being left, so that a second press does nothing. A page that the browser brings back from its
 * cache has not left after all.
 */
export function useLeaving<T>(): [T | undefined, (way: T) => void] {
  const [leaving, setLeaving] = useState<T>();
  useEffect(() => {
    // The first showing may come after somebody has left already.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && setLeaving(undefined);
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, []);
  return [leaving, setLeaving];
}
