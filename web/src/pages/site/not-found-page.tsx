import { Khatam } from '../../components/logo.tsx';
import { m } from '../../text/generated/messages.js';
import { SiteLayout } from './site-layout.tsx';
import { href } from './site-paths.ts';

export function NotFoundPage() {
  return (
    <SiteLayout path="/">
      <div className="relative isolate">
        <div
          aria-hidden="true"
          className="girih absolute inset-0 -z-10 opacity-60 [mask-image:radial-gradient(50%_60%_at_50%_50%,#000,transparent)]"
        />
        <div className="min-h-[60vh] grid place-content-center justify-items-center gap-3 px-5 py-16 text-center">
          <Khatam className="size-16 text-accent-fill" />
          <h1 className="text-2xl sm:text-3xl font-black mt-3">{m.not_found_title()}</h1>
          <p className="text-text-2 max-w-[28rem]">{m.missing_text()}</p>
          <a href={href('/')} className="btn btn-primary mt-4">
            {m.back_home()}
          </a>
        </div>
      </div>
    </SiteLayout>
  );
}
