import { useEffect } from 'react';
import { brandName } from '../text/site-values.ts';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} | ${brandName()}`;
  }, [title]);
}
