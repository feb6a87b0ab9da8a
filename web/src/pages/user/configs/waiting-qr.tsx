import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { configFileQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';

const QrCode = lazy(() => import('../../../ui/qr-code.tsx'));

/** The code to scan, right where the panel says that it waits for the device. */
export function WaitingQr({ config }: { config: Config }) {
  const file = useQuery(configFileQuery(config.id)).data;
  const placeholder = <div className="size-48 rounded-md bg-[oklch(1_0_0/.12)]" aria-hidden />;
  return (
    <Suspense fallback={placeholder}>
      {file ? (
        <QrCode text={file} label={m.qr_of({ name: config.name })} className="size-48 max-sm:mx-auto" />
      ) : (
        placeholder
      )}
    </Suspense>
  );
}
