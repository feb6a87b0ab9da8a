import { ApiError } from '@raha/contract/client.ts';
import { QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Without network a call fails at once, and the screen says so, instead of waiting for as long as it takes.
      networkMode: 'always',
      refetchOnReconnect: true,
      // A refusal is final; only missing responses and server errors are retried.
      retry: (failures, error) =>
        failures < 2 && navigator.onLine && (!(error instanceof ApiError) || error.status === 0 || error.status >= 500),
    },
    mutations: { networkMode: 'always' },
  },
});
