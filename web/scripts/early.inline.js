// What the panel asks for first, requested while its program is still on the way; `early-calls.ts` takes the answers. A token
// that is about to end is left to the program, which refreshes it. Inlined into the panel's documents; its hash is in the policy.
((read) => {
  const token = read('auth_token');
  try {
    const { exp } = JSON.parse(atob(token.split('.')[1].replace(/-/g, '+').replace(/_/g, '/')));
    if (exp * 1000 < Date.now() + 60_000) return;
  } catch {
    return;
  }
  const headers = {
    accept: 'application/json',
    'accept-language': read('locale') === 'en' ? 'en' : 'fa',
    authorization: `Bearer ${token}`,
  };
  const isDashboard = /^\/user(\/dashboard)?\/?$/.test(location.pathname);
  const paths = ['/api/v1/auth/me'].concat(isDashboard ? ['/api/v1/user/dashboard'] : []);
  window.earlyCalls = {
    token,
    at: Date.now(),
    answers: new Map(paths.map((path) => [path, fetch(path, { headers }).catch(() => undefined)])),
  };
})((name) => decodeURIComponent(document.cookie.match(`(?:^|; )${name}=([^;]*)`)?.[1] ?? ''));
// The browser offers to install the panel once, perhaps before the program is there; `installation.ts` takes the offer.
addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  window.installPrompt = event;
});
