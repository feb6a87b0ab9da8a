import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { connectionQuery } from '../api/queries.ts';
import { countryName } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { toast } from '../ui/toast.ts';

/** Says, on whatever screen, that a device came on or went off; what was already so at the start is no news. */
export function useConnectionToasts(enabled: boolean): void {
  const connection = useQuery({ ...connectionQuery, enabled }).data;
  const before = useRef<string | null>(undefined);
  useEffect(() => {
    if (!connection) return;
    const now = connection.isConnected ? (connection.currentConfig?.id ?? '') : null;
    if (before.current !== undefined && before.current !== now) {
      const country = connection.currentConfig?.server.location.country;
      toast(now === null || !country ? m.connection_ended() : m.connected_to({ country: countryName(country) }));
    }
    before.current = now;
  }, [connection]);
}
