import type { Service } from '@raha/contract/public/service.ts';
import { m } from '../text/generated/messages.js';

const titles = { money: m.cut_money, plan: m.cut_plan, trial: m.cut_trial } as const;

/** What every screen says of a service that is not there for want of money; undefined while it is there. */
export function cutTitle(service: Service | undefined): string | undefined {
  if (service?.state === 'cut') return titles[service.cause ?? 'money']();
  return service?.state === 'empty' ? m.cut_empty() : undefined;
}
