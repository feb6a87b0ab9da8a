import { ApiError } from '@raha/contract/client.ts';
import type { Answer } from '@raha/contract/endpoint.ts';
import { cleanGiftCode } from '@raha/contract/gift-code.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { giftCode } from '@raha/contract/public/gift-cards.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import { screen } from '@raha/contract/screen-timings.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { meQuery } from '../../../api/me.ts';
import { dashboardQuery, rateQuery, serversQuery } from '../../../api/queries.ts';
import { storeUser } from '../../../api/session.ts';
import { navigate } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { toast } from '../../../ui/toast.ts';
import type { FieldProblems } from '../../../ui/use-form.ts';
import { createAttempts } from '../wallet/charge/attempts.ts';

export type Rate = Answer<typeof publicEndpoints.getUsdRate>;
type Worth = Answer<typeof publicEndpoints.verifyGiftCard>['data'];

/** Redeems a gift card, or only asks what it is worth. */
export function useRedeem(rate: Rate | undefined) {
  const queries = useQueryClient();
  const [attempts] = useState(() => createAttempts(() => crypto.randomUUID()));
  const [worth, setWorth] = useState<Worth & { code: string }>();
  const [redeemed, setRedeemed] = useState<{ message: string; amount: number }>();

  useEffect(() => {
    if (!redeemed) return;
    // While the sentence is read, what comes next is fetched: on a slow line that takes as long.
    void queries.prefetchQuery(dashboardQuery);
    void queries.prefetchQuery(serversQuery);
    void import('../first-steps/first-dashboard.tsx').catch(() => undefined);
    const timer = setTimeout(() => void navigate({ to: paths.dashboard }), screen.activation.redirectAfterSuccessMs);
    return () => clearTimeout(timer);
  }, [redeemed, queries]);

  const redeem = async (code: string): Promise<FieldProblems | undefined> => {
    if (rate?.rate == null) return { code: m.redeem_waits_for_rate() };
    const body = { gift_card_code: cleanGiftCode(code), current_price: rate.rate };
    const headers = { 'Idempotency-Key': attempts.keyFor(body) };
    try {
      const { data, message } = await api.processGiftCard({ body }, { headers });
      storeUser(data.user);
      queries.setQueryData(meQuery.queryKey, data.user);
      void queries.invalidateQueries({ queryKey: ['wallet'] });
      toast(message);
      setRedeemed({ message, amount: data.amount });
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.code !== 'network' && error.status < 500) attempts.over();
      if (error instanceof ApiError && error.code.startsWith('rate_')) {
        await queries.invalidateQueries({ queryKey: rateQuery.queryKey });
      }
      return problemOf(error, m.activation_failed());
    }
  };

  const check = async (code: string): Promise<FieldProblems | undefined> => {
    const checked = giftCode.safeParse(code);
    if (!checked.success) return { code: checked.error.issues[0]?.message ?? 'gift_format' };
    try {
      const { data } = await api.verifyGiftCard({ body: { gift_card_code: checked.data } });
      setWorth({ ...data, code });
      return {};
    } catch (error) {
      setWorth(undefined);
      return problemOf(error, m.gift_check_failed());
    }
  };

  return { redeem, check, worth, redeemed };
}

function problemOf(error: unknown, what: string): FieldProblems {
  const field = error instanceof ApiError ? (error.fields.gift_card_code ?? error.fields.giftCardCode) : undefined;
  return { code: field ?? errorSentence(error, what) };
}
