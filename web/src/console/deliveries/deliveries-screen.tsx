import { unsentStates } from '@raha/contract/admin/deliveries.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { deliveryChannels } from '@raha/contract/deliveries.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { PageButtons } from '../page-buttons.tsx';
import { goTo, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { DeliveryTable } from './delivery-table.tsx';
import { channelNames, stateNames } from './words.ts';

interface Filters {
  readonly state?: (typeof unsentStates)[number];
  readonly channel?: (typeof deliveryChannels)[number];
}

/** Mails and text messages that did not go out, newest first. The address holds the filters and the page. */
export function DeliveriesScreen({ self }: ScreenProps) {
  const { query } = useAddress();
  const filters = readFilters(query);
  const before = query.get('before') ?? undefined;
  const answer = useAnswer(query.toString(), async () => {
    return (await api.listUnsentDeliveries({ query: { ...filters, ...(before ? { before } : {}) } })).data;
  });
  const { data, isLoading, reload } = answer;
  const show = (next: Filters, from?: string) =>
    goTo(`/admin/messages?${new URLSearchParams({ ...next, ...(from ? { before: from } : {}) })}`);
  const { state, channel } = filters;
  const next = data?.next;
  return (
    <>
      <Lead
        title={data ? leadOf(data.deliveries.length, data.next !== null, query.size > 0) : m.console_deliveries()}
        text={m.console_deliveries_text()}
      />
      <div className="c-delivery-filters">
        <Tabs
          name={m.console_deliveries_states()}
          values={unsentStates}
          names={stateNames}
          value={state}
          onPick={(picked) => show({ ...(channel ? { channel } : {}), ...(picked ? { state: picked } : {}) })}
        />
        <Tabs
          name={m.console_deliveries_channels()}
          values={deliveryChannels}
          names={channelNames}
          value={channel}
          onPick={(picked) => show({ ...(state ? { state } : {}), ...(picked ? { channel: picked } : {}) })}
        />
      </div>
      <Reading of={answer} />
      {data && data.deliveries.length > 0 ? (
        <DeliveryTable
          deliveries={data.deliveries}
          isOld={isLoading}
          showsUser
          mayResend={isPermitted(self.role, 'people.resend')}
          reload={reload}
        />
      ) : null}
      <PageButtons
        onNewest={before ? () => show(filters) : undefined}
        onOlder={next ? () => show(filters, next) : undefined}
      />
    </>
  );
}

interface TabsProps<T extends string> {
  readonly name: string;
  readonly values: readonly T[];
  readonly names: Readonly<Record<T, () => string>>;
  readonly value: T | undefined;
  onPick(value: T | undefined): void;
}

function Tabs<T extends string>({ name, values, names, value, onPick }: TabsProps<T>) {
  return (
    <fieldset className="c-tabs">
      <legend className="c-unseen">{name}</legend>
      {[undefined, ...values].map((each) => (
        <button key={each ?? 'all'} type="button" aria-pressed={each === value} onClick={() => onPick(each)}>
          {each === undefined ? m.console_deliveries_all() : names[each]()}
        </button>
      ))}
    </fieldset>
  );
}

function readFilters(query: URLSearchParams): Filters {
  const state = unsentStates.find((known) => known === query.get('state'));
  const channel = deliveryChannels.find((known) => known === query.get('channel'));
  return { ...(state ? { state } : {}), ...(channel ? { channel } : {}) };
}

function leadOf(found: number, isMore: boolean, isFiltered: boolean): string {
  const count = number(found);
  if (found === 0) return isFiltered ? m.console_deliveries_none_filtered() : m.console_deliveries_none();
  if (isMore) return m.console_deliveries_lead_more({ count });
  return found === 1 ? m.console_deliveries_lead_one() : m.console_deliveries_lead({ count });
}
