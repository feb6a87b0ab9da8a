import { Plus } from 'lucide-react';
import { Khatam } from '../../../components/logo.tsx';
import { m } from '../../../text/generated/messages.js';

/** Nothing here yet: either the first config is one button away, or activation comes first (then there is no button). */
export function EmptyConfigs({ onCreate }: { onCreate?: () => void }) {
  return (
    <section className="panel relative isolate overflow-hidden px-6 py-14 sm:py-20 grid justify-items-center text-center">
      <div
        aria-hidden
        className="girih absolute inset-0 -z-10 opacity-70 [mask-image:radial-gradient(50%_60%_at_50%_30%,#000,transparent)]"
      />
      <Khatam className="size-14 text-accent-fill" />
      <h2 className="text-xl font-black mt-5">{m.empty_title()}</h2>
      <p className="text-text-2 mt-2 max-w-[30rem]">{onCreate ? m.empty_text() : m.empty_text_inactive()}</p>
      {onCreate && (
        <button type="button" className="btn btn-ghost mt-6" onClick={onCreate}>
          <Plus className="size-5" aria-hidden />
          {m.create_first()}
        </button>
      )}
    </section>
  );
}
