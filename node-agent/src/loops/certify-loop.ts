import type { AgentContext } from '../agent-context.ts';
import { delayAfter } from '../control/control-state.ts';
import { createBackOff } from '../platform/back-off.ts';

const RENEWAL_CHECK_MS = 12 * 3_600_000;

/**
 * Requests certificates for this node's own keys, at every start and twice a day: the control plane renews a certificate
 * that is about to expire. Certificates arrive with the desired state.
 */
export async function certifyForever({ client, control, tunnels, log, random }: AgentContext): Promise<void> {
  const backOff = createBackOff(random);
  while (!control.isStopping) {
    try {
      for (const { protocol, certifiedKey } of tunnels) {
        if (protocol !== 'wireguard' && certifiedKey) await client.certify({ protocol, publicKey: certifiedKey });
      }
      backOff.reset();
      await pause(RENEWAL_CHECK_MS);
    } catch (error) {
      await pause(delayAfter(error, 'certify', backOff, log));
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
