import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { number } from '../text/format.ts';
import { m } from '../text/generated/messages.js';

interface PagesNavProps {
  page: number;
  total_pages: number;
  onPage(page: number): void;
}

/** Links to newer and older pages of a list; nothing if there is only one page. */
export function PagesNav({ page, total_pages, onPage }: PagesNavProps) {
  if (total_pages <= 1) return null;
  return (
    <nav aria-label={m.pages()} className="flex items-center justify-between gap-3 mt-4 pt-4 border-t border-line">
      <PageButton enabled={page > 1} onClick={() => onPage(page - 1)}>
        <ChevronRight className="size-4 ltr:-scale-x-100" aria-hidden />
        {m.newer()}
      </PageButton>
      <p className="text-sm text-text-2">{m.page_of({ page: number(page), total: number(total_pages) })}</p>
      <PageButton enabled={page < total_pages} onClick={() => onPage(page + 1)}>
        {m.older()}
        <ChevronLeft className="size-4 ltr:-scale-x-100" aria-hidden />
      </PageButton>
    </nav>
  );
}

function PageButton({ enabled, onClick, children }: { enabled: boolean; onClick(): void; children: ReactNode }) {
  if (!enabled) return <span className="btn btn-sm invisible">{children}</span>;
  return (
    <button type="button" className="btn btn-ghost btn-sm" onClick={onClick}>
      {children}
    </button>
  );
}
