import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { useTitle } from '../../components/use-title.ts';
import { m } from '../../text/generated/messages.js';

/** An unknown address inside the application; the server answers all others with 404.html. */
export default function NotFoundPage() {
  useTitle(m.missing_title());
  return (
    <main className="min-h-dvh grid place-content-center justify-items-center gap-3 p-6 text-center">
      <h1 className="text-2xl font-black">{m.missing_title()}</h1>
      <p className="text-text-2">{m.missing_text()}</p>
      <a href={paths.landing} className="btn btn-primary mt-3">
        {m.back_home()}
      </a>
    </main>
  );
}
