import type { ReactNode } from 'react';

export function StepCard({ title, text, children }: { title: string; text: ReactNode; children: ReactNode }) {
  return (
    <section className="panel p-6 sm:p-8 [animation:rise_.32s_var(--ease-out)_both]">
      <h1 className="text-2xl font-black">{title}</h1>
      <div className="mt-2 text-text-2">{text}</div>
      <div className="mt-6">{children}</div>
    </section>
  );
}
