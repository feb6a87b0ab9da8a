import { ChevronDown } from 'lucide-react';

export function QuestionList({ items }: { items: readonly (readonly [string, string])[] }) {
  return (
    <div className="card divide-y divide-line overflow-hidden">
      {items.map(([question, answer], index) => (
        <details key={question} className="group" open={index === 0}>
          <summary className="flex items-center justify-between gap-4 min-h-16 px-5 sm:px-6 py-3 cursor-pointer font-bold list-none [&::-webkit-details-marker]:hidden hover:bg-surface-2 focus-visible:-outline-offset-2">
            {question}
            <ChevronDown
              className="size-5 shrink-0 text-text-3 transition-transform group-open:-scale-y-100"
              aria-hidden="true"
            />
          </summary>
          <p className="px-5 sm:px-6 pb-5 text-text-2 max-w-[48rem]">{answer}</p>
        </details>
      ))}
    </div>
  );
}
