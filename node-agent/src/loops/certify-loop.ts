import { createBackOff } from '../platform/back-off.ts';
import type { Shift } from '../shift.ts';

const AGAIN_AFTER_MS = 12 * 3_600_000;

/**
 * Has this node's own keys certified, at every start and twice a day: the control plane renews a certificate that is
 * about to end. What comes of it arrives with the wanted state.
 */
export async function certifyForever(shift: Shift): Promise<void> {
  const { runtime } = shift;
  const backOff = createBackOff(shift.random);
  while (!shift.isOver) {
    try {
      for (const { protocol, certifiedKey } of runtime.tunnels) {
        if (protocol !== 'wireguard' && certifiedKey) {
          await runtime.client.certify({ protocol, publicKey: certifiedKey });
        }
      }
      backOff.reset();
      await pause(AGAIN_AFTER_MS);
    } catch (error) {
      await pause(shift.delayAfter('certify', error, backOff));
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
