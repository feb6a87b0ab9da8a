import { useState } from 'react';
import { now } from '../../../api/clock.ts';
import { clock } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { useNow } from '../../../ui/use-now.ts';

/** Counts down to the next allowed code, then offers it. */
export function ResendTimer({ resendAt, onResend }: { resendAt: number; onResend(): Promise<void> }) {
  const at = useNow(now, 500);
  const [busy, setBusy] = useState(false);
  const left = Math.max(0, Math.round((resendAt - at) / 1000));

  if (left > 0) {
    return (
      <p className="px-3.5 text-sm text-text-3 min-h-11 flex items-center gap-1.5">
        {m.resend_in()}
        <time className="num font-semibold text-text-2" role="timer" dir="ltr">
          {clock(left)}
        </time>
      </p>
    );
  }
  return (
    <Button
      className="btn btn-quiet btn-sm !text-accent"
      busy={busy}
      onClick={() => {
        setBusy(true);
        void onResend().finally(() => setBusy(false));
      }}
    >
      {m.resend_code()}
    </Button>
  );
}
