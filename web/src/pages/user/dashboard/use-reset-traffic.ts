import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';

/** Begins the total anew. No byte and no toman depends on it, so it asks nothing. */
export function useResetTraffic() {
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => api.resetDashboardTraffic({}),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['dashboard'] });
      toast(m.traffic_was_reset());
    },
    onError: (error) => toast(errorSentence(error), 'problem'),
  });
  return { reset: () => mutate(), busy: isPending };
}
