import './style/app.css';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import './yield-to-main.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { readLastKnown } from './api/last-known.ts';
import { isLeaving, leaveFor } from './api/leave.ts';
import { queryClient } from './api/query-client.ts';
import { clearSession } from './api/session.ts';
import { onSessionEnd } from './api/session-fetch.ts';
import { routes } from './router.tsx';
import { startRouter } from './routes/navigation.ts';
import { RouterView } from './routes/router-view.tsx';
import { m } from './text/generated/messages.js';
import { overwriteGetLocale } from './text/generated/runtime.js';
import { currentLocale, textDirection } from './text/locale.ts';
import { toast } from './ui/toast.ts';
import { whenSettled } from './ui/when-settled.ts';

// The strict content policy forbids building code from strings; zod must not even try (it reads this when it loads).
Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });

const locale = currentLocale();
overwriteGetLocale(() => locale);
document.documentElement.lang = locale;
document.documentElement.dir = textDirection();
whenSettled(() => nameApplication(locale));

// What a session that ended without a word has left behind goes now, or when the next user comes.
readLastKnown();

/** Long enough to be read. */
const SENTENCE_MS = 1_500;

onSessionEnd(() => {
  // The page is already being left: let that finish.
  if (isLeaving()) return;
  clearSession();
  if (!isInPanel()) return queryClient.clear();
  toast(m.session_expired(), 'problem');
  // The screen keeps what it shows until it goes: an empty cache would ask for all of it again.
  setTimeout(() => queryClient.clear(), SENTENCE_MS);
  leaveFor(paths.landing, SENTENCE_MS, isInPanel);
});

/** Not where somebody signs in, nor where an ended session leads. */
function isInPanel(): boolean {
  return location.pathname !== paths.landing && !location.pathname.startsWith('/auth/');
}

startRouter(routes);
const root = document.getElementById('root');
if (root) {
  // In slices, so that a slow phone hears of a touch in between.
  startTransition(() =>
    createRoot(root).render(
      <QueryClientProvider client={queryClient}>
        <RouterView />
      </QueryClientProvider>,
    ),
  );
}

/** The icon of the tab, and what the browser offers to install, with its name in this language: behind what fills the first screen. */
function nameApplication(language: Locale): void {
  document.querySelector('link[rel=icon]')?.setAttribute('href', '/icon.svg');
  const link = document.createElement('link');
  link.rel = 'manifest';
  link.href = language === 'en' ? '/manifest-en.webmanifest' : '/manifest.webmanifest';
  document.head.append(link);
}
