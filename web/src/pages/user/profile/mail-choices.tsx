import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import { choicesQuery, profileApi, sentenceOr } from './profile-api.ts';

type Choices = NonNullable<Awaited<ReturnType<NonNullable<typeof choicesQuery.queryFn>>>>;

/** Which kinds of notifications come by mail, too. */
export function MailChoices() {
  const queries = useQueryClient();
  const { data } = useQuery(choicesQuery);
  if (!data) return <div role="status" aria-label={m.loading()} className="skeleton h-40" />;

  const change = async (kind: Choices['choices'][number]['kind'], byMail: boolean) => {
    const before = queries.getQueryData(choicesQuery.queryKey) ?? data;
    const choices = before.choices.map((choice) => (choice.kind === kind ? { ...choice, byMail } : choice));
    queries.setQueryData(choicesQuery.queryKey, { ...before, choices });
    try {
      const mail = choices.filter((choice) => choice.byMail).map((choice) => choice.kind);
      await profileApi.updateNotificationChoices({ body: { mail } });
      toast(m.settings_saved());
    } catch (error) {
      queries.setQueryData(choicesQuery.queryKey, before);
      toast(sentenceOr(error, m.settings_not_saved()), 'problem');
    }
  };

  return (
    <fieldset className="rounded-lg bg-surface-2 px-4 py-3">
      <legend className="sr-only">{m.settings_email_kinds()}</legend>
      <p aria-hidden className="text-sm font-semibold text-text-2 mb-1">
        {m.settings_email_kinds()}
      </p>
      <div className="grid sm:grid-cols-2 gap-x-4">
        {data.choices.map(({ kind, title, byMail }) => (
          <label key={kind} className="flex items-center gap-3 min-h-11 text-sm cursor-pointer">
            <input
              type="checkbox"
              className="peer sr-only"
              checked={byMail}
              onChange={(event) => void change(kind, event.target.checked)}
            />
            <span
              aria-hidden
              className="grid place-items-center size-5 shrink-0 rounded-[5px] border border-line-control bg-surface text-transparent peer-checked:bg-accent peer-checked:border-transparent peer-checked:text-surface peer-focus-visible:outline-2 peer-focus-visible:outline-accent peer-focus-visible:outline-offset-2"
            >
              <Check className="size-4" />
            </span>
            {title}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
