import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { connectionQuery } from '../api/queries.ts';
import { countryName } from '../text/format.ts';
import { m } from '../text/generated/messages.js';
import { toast } from '../ui/toast.ts';
import { connectionNews } from './connection-news.ts';

/** Shows a toast on any screen when a device connects or disconnects; the state at the start causes none. */
export function useConnectionToasts(enabled: boolean): void {
  const connection = useQuery({ ...connectionQuery, enabled }).data;
  const before = useRef<typeof connection>(undefined);
  useEffect(() => {
    if (!connection) return;
    const news = before.current && connectionNews(before.current, connection);
    before.current = connection;
    const country = connection.currentConfig?.server.location.country;
    if (news === 'connected' && country) toast(m.connected_to({ country: countryName(country) }));
    else if (news) toast(m.connection_ended());
  }, [connection]);
}
