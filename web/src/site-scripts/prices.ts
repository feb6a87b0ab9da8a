import type { Answer } from '@raha/contract/endpoint.ts';
import type { publicEndpoints } from '@raha/contract/public/table.ts';
import { cheaperFromGb } from './break-even.ts';
import { number, select, selectAll } from './page.ts';

type Prices = Answer<typeof publicEndpoints.getPrices>['data'];

/** Fills the pricing page with the prices of this moment in toman, and the plans. Without an answer the price in cents stands alone. */
export async function showPrices(): Promise<void> {
  const prices = await askPrices();
  if (!prices) return;
  const { tomanPerGb } = prices;
  if (tomanPerGb !== null) {
    for (const amount of selectAll('[data-amount]'))
      amount.textContent = number(tomanPerGb * Number(amount.dataset.amount));
    for (const part of selectAll('[data-with-rate]')) part.hidden = false;
    for (const part of selectAll('[data-without-rate]')) part.hidden = true;
    for (const part of selectAll('[data-test-rate]')) part.hidden = prices.rateSource !== 'test';
  }
  showPlans(prices);
}

function showPlans({ plans, tomanPerGb }: Prices): void {
  const section = select('[data-plans]');
  const template = select<HTMLTemplateElement>('template', section ?? undefined);
  if (!section || !template || plans.length === 0) return;
  for (const plan of plans) {
    const card = template.content.cloneNode(true) as DocumentFragment;
    write(card, 'name', plan.name);
    write(card, 'price', number(plan.price));
    write(card, 'days', number(plan.duration));
    write(card, 'devices', number(plan.maxDevices));
    write(card, 'gigabytes', plan.trafficLimit === null ? undefined : number(plan.trafficLimit / 1e9));
    write(card, 'mbit', plan.maxMbit ? number(plan.maxMbit) : undefined);
    write(card, 'unlimited', plan.trafficLimit === null ? '' : undefined);
    const from = tomanPerGb === null ? undefined : cheaperFromGb(plan, tomanPerGb);
    write(card, 'from', from === undefined ? undefined : number(from));
    template.parentElement?.append(card);
  }
  section.hidden = false;
}

/** Fills the slot of a name. Without a text the line with the slot is removed; an empty text keeps what the page says there. */
function write(card: DocumentFragment, name: string, text: string | undefined): void {
  const slot = card.querySelector(`[data-${name}]`);
  if (text === undefined) (slot?.closest('[data-line]') ?? slot)?.remove();
  else if (text !== '' && slot) slot.textContent = text;
}

async function askPrices(): Promise<Prices | undefined> {
  try {
    const response = await fetch('/api/v1/site/prices', {
      headers: { 'accept-language': document.documentElement.lang },
    });
    return response.ok ? ((await response.json()) as { data: Prices }).data : undefined;
  } catch {
    return undefined;
  }
}
