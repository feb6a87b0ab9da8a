import { useEffect, useState } from 'react';

/**
 * Where the page is being left for, so that a second press does nothing. A page that the browser restores from its
 * cache is no longer being left.
 */
export function useLeaving<T>(): [T | undefined, (way: T) => void] {
  const [leaving, setLeaving] = useState<T>();
  useEffect(() => {
    // The first `pageshow` may come after leaving has begun.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && setLeaving(undefined);
    addEventListener('pageshow', onShow);
    return () => removeEventListener('pageshow', onShow);
  }, []);
  return [leaving, setLeaving];
}
