import { Khatam } from '../../components/logo.tsx';
import { PublicHeader } from '../../components/public-header.tsx';
import { paths } from '../../paths.ts';
import { m } from '../../text/generated/messages.js';

export function NotFoundPage() {
  return (
    <div className="relative isolate min-h-dvh flex flex-col">
      <div
        aria-hidden="true"
        className="girih absolute inset-0 -z-10 opacity-60 [mask-image:radial-gradient(50%_60%_at_50%_50%,#000,transparent)]"
      />
      <PublicHeader />
      <main className="flex-1 grid place-content-center justify-items-center gap-3 px-5 pb-28 text-center">
        <Khatam className="size-16 text-accent-fill" />
        <h1 className="text-2xl sm:text-3xl font-black mt-3">{m.not_found_title()}</h1>
        <p className="text-text-2 max-w-[28rem]">{m.missing_text()}</p>
        <a href={paths.landing} className="btn btn-primary mt-4">
          {m.back_home()}
        </a>
      </main>
    </div>
  );
}
