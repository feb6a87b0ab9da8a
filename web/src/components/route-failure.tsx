import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { errorSentence } from '../api/error-sentence.ts';
import { NavigationBlocked } from '../routes/redirects.ts';
import { m } from '../text/generated/messages.js';

/** Shown when a screen could not be opened: its code did not load, or its guard failed. */
export function RouteFailure({ error }: { error: unknown }) {
  const isBlocked = error instanceof NavigationBlocked;
  return (
    <main className="min-h-dvh grid place-content-center justify-items-center gap-3 p-6 text-center">
      <h1 className="text-xl font-black">{isBlocked ? m.navigation_failed() : m.screen_failed()}</h1>
      <p className="text-text-2 max-w-[30rem]">{isBlocked ? m.navigation_failed_text() : sentenceOf(error)}</p>
      <div className="flex flex-wrap justify-center gap-3 mt-3">
        <button type="button" className="btn btn-primary" onClick={() => location.reload()}>
          {m.try_again()}
        </button>
        <a href={paths.landing} className="btn btn-ghost">
          {m.back_home()}
        </a>
      </div>
    </main>
  );
}

function sentenceOf(error: unknown): string {
  if (!isMissingChunk(error)) return errorSentence(error);
  return navigator.onLine ? m.screen_failed_update() : m.screen_needs_network();
}

function isMissingChunk(error: unknown): boolean {
  return error instanceof TypeError && /import|module/i.test(error.message);
}
