import type { ReactNode } from 'react';

export function PageHeading({ title, text, children }: { title: string; text?: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 mt-2 mb-5">
      <div className="min-w-0">
        <h1 className="text-2xl font-black">{title}</h1>
        {text && (
          <p className={`text-sm text-text-2 mt-0.5 max-w-[46rem] ${children ? 'max-sm:hidden' : ''}`}>{text}</p>
        )}
      </div>
      {children}
    </div>
  );
}
