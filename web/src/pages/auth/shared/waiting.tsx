import { LoaderCircle } from 'lucide-react';
import type { ReactNode } from 'react';

/** Something is being asked of the server; the answer decides where this leads. */
export function Waiting({ title, text }: { title: string; text: ReactNode }) {
  return (
    <section role="status" className="panel p-6 sm:p-8 grid justify-items-center text-center gap-2">
      <LoaderCircle className="size-10 text-accent animate-spin [animation:spin_1s_linear_infinite]" aria-hidden />
      <h1 className="text-xl font-black mt-2">{title}</h1>
      <p className="text-text-2">{text}</p>
    </section>
  );
}
