/** A device that is never idle, or a page in the background. */
const PATIENCE_MS = 1_000;
/** From the end of the work to what the eye sees, on a slow phone. */
const PAINT_MS = 300;

/**
 * Acts once the document has loaded, the device has nothing else to do, and what it has rendered is painted. Answers with what
 * takes that back.
 */
export function whenSettled(act: () => void): () => void {
  let isOver = false;
  const begin = () => whenIdle(() => setTimeout(() => isOver || act(), PAINT_MS));
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true });
  return () => {
    isOver = true;
  };
}

function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(act, { timeout: PATIENCE_MS });
  else setTimeout(act, PATIENCE_MS);
}
