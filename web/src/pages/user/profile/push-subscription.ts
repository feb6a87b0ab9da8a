import { keepSubscription } from '../../../start-service-worker.ts';

/** Notifications of this browser while the panel is closed (Push API). */
export function canPush(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

/** Said no to, once and for all: only the browser's own settings can change it. */
export function isRefused(): boolean {
  return canPush() && Notification.permission === 'denied';
}

/** Asks for permission and for an address at the browser's push service. Throws when either is refused. */
export async function subscribe(publicKey: string): Promise<{ endpoint: string; p256dh: string; auth: string }> {
  if ((await Notification.requestPermission()) !== 'granted') throw new Error('notifications are refused');
  keepSubscription();
  const { pushManager } = await readyWorker();
  // One that was made for an earlier key of the server takes nothing from this one.
  await (await pushManager.getSubscription())?.unsubscribe();
  const { endpoint, keys } = (
    await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  ).toJSON();
  return { endpoint: endpoint ?? '', p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' };
}

export async function unsubscribe(): Promise<void> {
  await (await current())?.unsubscribe();
}

/** Whether the browser has an address, and still shows what comes there. */
export async function isSubscribed(): Promise<boolean> {
  return (await current()) !== null && Notification.permission === 'granted';
}

async function current(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** A browser that took no worker never has one that is ready. */
const WORKER_MS = 10_000;

function readyWorker(): Promise<ServiceWorkerRegistration> {
  return Promise.race([
    navigator.serviceWorker.ready,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('there is no worker')), WORKER_MS)),
  ]);
}
