import { limits } from '@raha/contract/limits.ts';
import { Copy, Share2 } from 'lucide-react';
import { useId } from 'react';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { Button } from '../../../ui/button.tsx';
import { toast } from '../../../ui/toast.ts';

/** The link, which nobody can show again. What follows the `#` never leaves a browser with the address. */
export function NewLink({ token }: { token: string }) {
  const id = useId();
  const address = `${location.origin}${currentLocale() === 'fa' ? '' : '/en'}/family#${token}`;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address);
      toast(m.family_copied());
    } catch {
      toast(m.copy_value_failed(), 'problem');
    }
  };
  // Closing the sheet of the system is no failure.
  const share = () => void navigator.share({ text: m.family_share_text(), url: address }).catch(() => undefined);
  return (
    <>
      <p className="text-text-2">{m.family_ready_text({ days: number(limits.family.linkDays) })}</p>
      <label htmlFor={id} className="block text-sm font-semibold text-text-2 mt-5 mb-1.5">
        {m.family_link()}
      </label>
      <input
        id={id}
        readOnly
        dir="ltr"
        value={address}
        className="input font-code text-sm"
        onFocus={(event) => event.target.select()}
      />
      <div className="flex flex-wrap gap-3 mt-5">
        {'share' in navigator && (
          <Button className="btn btn-primary flex-1 whitespace-nowrap" onClick={share}>
            <Share2 className="size-5" aria-hidden />
            {m.family_share()}
          </Button>
        )}
        <Button
          className={`btn flex-1 whitespace-nowrap ${'share' in navigator ? 'btn-ghost' : 'btn-primary'}`}
          onClick={() => void copy()}
        >
          <Copy className="size-5" aria-hidden />
          {m.family_copy()}
        </Button>
      </div>
    </>
  );
}
