import type { Runtime } from '../runtime.ts';
import type { Shift } from '../shift.ts';
import { findNews } from '../tunnels/tunnel-status.ts';

/** People wait for the panel to say that their device is in: noticed and told well within a second. */
const LOOK_MS = 400;
/**
 * Asking the daemons for their devices takes the longer the more there are, and most of it is waiting for three of them; it
 * may take this share of the time.
 */
const MAX_LOOKING_SHARE = 0.08;

/** Looks for devices that have come or gone, and has them reported at once. */
export async function watchSigns(shift: Shift): Promise<void> {
  const look = createLook(shift.runtime, () => shift.reportBell.ring());
  let delayMs = LOOK_MS;
  while (!shift.isOver) {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (!shift.isOver) delayMs = await look();
  }
}

/**
 * One look, which answers with how long to wait until the next. Nobody looks where every config has its device. News ring
 * once: while the control plane is away they must not cut every pause between tries short.
 */
export function createLook(runtime: Runtime, ring: () => void): () => Promise<number> {
  let reported = runtime.live;
  let told: ReadonlySet<string> = new Set();
  return async () => {
    if (!mayChange(runtime)) return LOOK_MS;
    const begunAt = runtime.elapsedMs();
    const news = await findNews(runtime);
    const isKnown = (config: string) => reported === runtime.live && told.has(config);
    if (![...news].every(isKnown)) ring();
    reported = runtime.live;
    told = news;
    return Math.max(LOOK_MS, (runtime.elapsedMs() - begunAt) / MAX_LOOKING_SHARE);
  };
}

function mayChange(runtime: Runtime): boolean {
  return runtime.live.size < runtime.peers.size || runtime.tunnels.some(({ hasSessions }) => hasSessions);
}
