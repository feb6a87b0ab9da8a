import type { Config } from '@raha/contract/public/configs.ts';
import { lazy, Suspense } from 'react';
import { m } from '../../../text/generated/messages.js';

const QrCode = lazy(() => import('../../../ui/qr-code.tsx'));

export function FileCode({ config, file }: { config: Config; file: string | undefined }) {
  const placeholder = <div className="size-60 rounded-md bg-[oklch(1_0_0/.12)]" aria-hidden />;
  return (
    <div className="grid place-items-center mt-5">
      <Suspense fallback={placeholder}>
        {file ? (
          <QrCode text={file} label={m.qr_of({ name: config.name })} className="size-60 max-w-full" />
        ) : (
          placeholder
        )}
      </Suspense>
    </div>
  );
}
