import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { m } from '../../../text/generated/messages.js';
import { Switch } from '../../../ui/switch.tsx';
import { toast } from '../../../ui/toast.ts';
import { profileApi, pushQuery, sentenceOr } from './profile-api.ts';
import { isRefused, subscribe, unsubscribe } from './push-subscription.ts';

const hints = {
  absent: m.settings_push_absent,
  refused: m.settings_push_refused,
  possible: m.settings_push_text,
};

/** Notifications of this device while the panel is closed: when money runs low, the service is cut, and it is back. */
export function DevicePush() {
  const queries = useQueryClient();
  const { data } = useQuery(pushQuery);
  const [isChanging, setChanging] = useState(false);
  const possible = data?.state === 'possible' ? data : undefined;
  const change = async (isOn: boolean) => {
    setChanging(true);
    try {
      if (isOn) await profileApi.turnPushOn({ body: await subscribe(possible?.publicKey ?? '') });
      else {
        await profileApi.turnPushOff();
        await unsubscribe();
      }
      toast(m.settings_saved());
    } catch (error) {
      toast(isRefused() ? m.settings_push_refused() : sentenceOr(error, m.settings_not_saved()), 'problem');
    }
    await queries.invalidateQueries({ queryKey: pushQuery.queryKey });
    setChanging(false);
  };
  return (
    <Switch
      label={m.settings_push()}
      hint={hints[data?.state ?? 'possible']()}
      checked={possible?.isOn ?? false}
      busy={!possible || isChanging}
      onChange={(isOn) => void change(isOn)}
    />
  );
}
