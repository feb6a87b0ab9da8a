import { useEffect, useState } from 'react';

/** A page in the background is not painted. */
const PATIENCE_MS = 1_000;

/** True once the screen has been painted for the first time: calls that nobody waits for begin then, behind those that fill it. */
export function usePainted(): boolean {
  const [painted, setPainted] = useState(false);
  useEffect(() => {
    let soon: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      soon = setTimeout(setPainted, 0, true);
    });
    const late = setTimeout(setPainted, PATIENCE_MS, true);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(soon);
      clearTimeout(late);
    };
  }, []);
  return painted;
}
