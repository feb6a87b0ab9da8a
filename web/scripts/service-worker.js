// The service worker of the panel: what opens without network (decision 87). It keeps files of the program only, the same for
// everybody, and never touches a call of the API, so nothing in its caches belongs to a user. The build puts the release in.
const { files, documents, entries, release } = self.RELEASE;
const SHELLS = 'shell-';
const SHELL = SHELLS + release;
// As long as a network may stay silent before the panel opens from what is kept.
const PATIENCE_MS = 4_000;
// What never changes under its name.
const named = /^\/(assets|fonts)\//;

self.addEventListener('install', (event) => event.waitUntil(install()));
self.addEventListener('activate', (event) => event.waitUntil(takeOver()));
self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== self.location.origin) return;
  if (request.mode === 'navigate') {
    const path = documentFor(pathname);
    if (path) event.respondWith(openDocument(event, path));
  } else if (named.test(pathname)) {
    event.respondWith(openFile(event, pathname));
  }
});

// All or nothing: a release of which a file is missing is not taken over.
async function install() {
  const cache = await caches.open(SHELL);
  await Promise.all(files.map((path) => addFile(cache, path)));
  for (const path of documents) {
    const isKept = await keepDocument(path, await fetch(path, { cache: 'no-cache', credentials: 'omit' }));
    if (!isKept) throw new Error(`${path} is of another release`);
  }
  await self.skipWaiting();
}

// What the release before had under this name is the same.
async function addFile(cache, path) {
  const response = (await caches.match(path)) ?? (await fetch(path));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  await putWhole(cache, path, response);
}

// A cache answers nobody while something is written into it, so what still comes over a network that stalls is not written yet.
async function putWhole(cache, path, response) {
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  await cache.put(path, new Response(await response.arrayBuffer(), { headers }));
}

// The release before stays for pages that are open: they load the rest of their own.
async function takeOver() {
  await self.registration.navigationPreload?.enable();
  const others = (await caches.keys()).filter((name) => name.startsWith(SHELLS) && name !== SHELL);
  await Promise.all(others.slice(0, -1).map((name) => caches.delete(name)));
  await self.clients.claim();
}

// The panel is one document at all its paths.
function documentFor(pathname) {
  if (/^\/user(\/|$)/.test(pathname)) return '/user/dashboard';
  return documents.includes(pathname) ? pathname : undefined;
}

// The network first, so that a new release is there at the next visit: its document names its own files, whatever is kept here.
async function openDocument(event, path) {
  const answer = Promise.resolve(event.preloadResponse).then((response) => response ?? fetch(event.request));
  event.waitUntil(answer.catch(() => undefined));
  const soon = await Promise.race([answer.catch(() => undefined), pause(PATIENCE_MS)]);
  if (soon && soon.status < 500) {
    if (new URL(event.request.url).pathname === path) event.waitUntil(keepDocument(path, soon.clone()));
    return soon;
  }
  const cache = await caches.open(SHELL);
  return (await cache.match(path, { ignoreVary: true })) ?? answer;
}

// A document is kept only beside the files that it names; the operator's words in it may be newer than the release.
async function keepDocument(path, response) {
  if (!response.ok || response.redirected) return false;
  const text = await response.clone().text();
  if (!text.includes(entries[path])) return false;
  const cache = await caches.open(SHELL);
  await cache.put(path, response);
  return true;
}

// What a page has loaded once opens without network as well.
async function openFile(event, path) {
  const kept = await caches.match(path, { ignoreVary: true });
  if (kept) return kept;
  const response = await fetch(event.request);
  if (response.ok) {
    const copy = response.clone();
    event.waitUntil(caches.open(SHELL).then((cache) => putWhole(cache, path, copy)));
  }
  return response;
}

function pause(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

// What the server sends (decision 88): a title, a sentence, and the page that it is about. The latest news of the service takes
// the place of the one before.
self.addEventListener('push', (event) => {
  const { title, body, path, lang } = event.data.json();
  const dir = lang === 'fa' ? 'rtl' : 'ltr';
  const look = { lang, dir, icon: '/icon-192.png', tag: 'service', renotify: true };
  event.waitUntil(self.registration.showNotification(title, { body, data: path, ...look }));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPanel(event.notification.data));
});

// In a tab of the panel if there is one, otherwise in a new one; pages of the panel only.
async function openPanel(path) {
  const address = /^\/user\//.test(path) ? path : '/user/dashboard';
  const tabs = await self.clients.matchAll({ type: 'window' });
  const tab = tabs.find(({ url }) => new URL(url).pathname.startsWith('/user/'));
  if (!tab) return await self.clients.openWindow(address);
  await tab.navigate(address);
  return await tab.focus();
}
