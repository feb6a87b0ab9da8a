import { api } from './api/client.ts';
import { isLeaving } from './api/leave.ts';
import { whenSettled } from './ui/when-settled.ts';

/** Created once per document: the policy of the content allows one of this name. */
let policy: { createScriptURL(address: string): string } | undefined;

/**
 * Registers the service worker that opens the panel without network (`scripts/service-worker.js`), when the page has loaded and
 * the device has nothing else to do. A browser that has none, or refuses, shows the panel as before.
 */
export function startServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  whenSettled(() => void register());
}

async function register(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.register(scriptAddress(), { updateViaCache: 'none' });
    await giveUpSubscription(registration);
  } catch {
    // A private window, a disk that is full, or no network.
  }
}

let isTurnedOnHere = false;

/** The user of now turns notifications on in this page: the address is theirs even before the server knows it. */
export function keepSubscription(): void {
  isTurnedOnHere = true;
}

/**
 * What an earlier session of this browser was told, the one of now was not asked about. A page whose user has just signed out
 * asks nothing: the server would refuse it.
 */
async function giveUpSubscription({ pushManager }: ServiceWorkerRegistration): Promise<void> {
  const subscription = await pushManager?.getSubscription();
  if (!subscription || isLeaving()) return;
  const { isOn } = (await api.getPush()).data;
  if (!isOn && !isTurnedOnHere) await subscription.unsubscribe();
}

function scriptAddress(): string {
  const address = '/service-worker.js';
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy('service-worker', { createScriptURL: () => address });
  return policy?.createScriptURL(address) ?? address;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): NonNullable<typeof policy>;
}
