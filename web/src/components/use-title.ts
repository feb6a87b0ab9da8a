import { useEffect } from 'react';
import { m } from '../text/generated/messages.js';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} | ${m.brand()}`;
  }, [title]);
}
