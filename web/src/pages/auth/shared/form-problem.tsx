import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

/** What went wrong with the form as a whole, said at once. */
export function FormProblem({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <div role="alert" className="flex items-start gap-3 rounded-md bg-danger-soft px-4 py-3 text-sm">
      <CircleAlert className="size-5 shrink-0 mt-0.5 text-danger" aria-hidden />
      <div>
        {title && <p className="font-bold">{title}</p>}
        {children}
      </div>
    </div>
  );
}
