import type { FamilyShare } from '@raha/contract/public/configs.ts';
import { Gauge, HeartOff, Link as LinkIcon } from 'lucide-react';
import { useId, useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { bytes, date, dateTime } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';

interface FamilyStateProps {
  family: FamilyShare;
  onCap(): void;
  /** Throws what the call does. */
  onNewLink(): Promise<void>;
  onEnd(): void;
}

/** What has become of the link, the month's bytes against their limit, and what the owner may do about it. */
export function FamilyState({ family, onCap, onNewLink, onEnd }: FamilyStateProps) {
  const monthId = useId();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const renew = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await onNewLink();
    } catch (error) {
      setProblem(errorSentence(error, m.family_create_failed()));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <dl className="grid gap-4">
        <div>
          <dt className="text-sm text-text-3">{m.family_link_state()}</dt>
          <dd className="font-semibold">{linkSentence(family)}</dd>
        </div>
        <div>
          <dt id={monthId} className="text-sm text-text-3">
            {m.family_month()}
          </dt>
          <dd>
            <span className="font-semibold">
              {m.family_used_of({ used: bytes(family.used_bytes), limit: bytes(family.monthly_bytes) })}
            </span>
            <progress
              aria-labelledby={monthId}
              className="block w-full h-2 mt-2 rounded-full overflow-hidden appearance-none bg-surface-2 [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-accent-fill [&::-moz-progress-bar]:bg-accent-fill"
              max={family.monthly_bytes}
              value={Math.min(family.used_bytes, family.monthly_bytes)}
            />
            <span className="block text-sm text-text-3 mt-1.5">
              {m.family_resets({ date: date(family.resets_at) })}
            </span>
          </dd>
        </div>
      </dl>
      <div className="flex flex-wrap gap-3 mt-6">
        <Button className="btn btn-ghost flex-1 whitespace-nowrap" onClick={onCap}>
          <Gauge className="size-5" aria-hidden />
          {m.family_change_cap()}
        </Button>
        <Button className="btn btn-ghost flex-1 whitespace-nowrap" busy={busy} onClick={() => void renew()}>
          <LinkIcon className="size-5" aria-hidden />
          {m.family_new_link()}
        </Button>
      </div>
      <FieldNote problem={problem} hint={m.family_new_link_note()} />
      <Button className="btn btn-ghost w-full mt-4 !text-danger" onClick={onEnd}>
        <HeartOff className="size-5" aria-hidden />
        {m.family_end()}
      </Button>
    </>
  );
}

function linkSentence({ link, expires_at, opened_at }: FamilyShare): string {
  if (link === 'opened' && opened_at) return m.family_link_opened({ date: dateTime(opened_at) });
  if (link === 'new') return m.family_link_new({ date: dateTime(expires_at) });
  return m.family_link_expired();
}
