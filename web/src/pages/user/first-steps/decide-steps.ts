import type { Config } from '@raha/contract/public/configs.ts';
import type { Dashboard } from '@raha/contract/public/dashboard.ts';

export const stepNames = ['email', 'card', 'device', 'connected'] as const;
export type StepName = (typeof stepNames)[number];

export interface Step {
  readonly name: StepName;
  /** Exactly one is lit: what can be done now. */
  readonly state: 'done' | 'lit' | 'quiet';
}

/**
 * The way of a new account to its first connection. A card is a step only where the service waits for one. Each step is done
 * before the next is lit, so that nothing is offered that would refuse.
 */
export function decideSteps(has: {
  readonly email: boolean;
  /** Whether configs may be made: by a card, or inside a trial that needs none. */
  readonly service: boolean;
  readonly isActivated: boolean;
  readonly config: boolean;
}): Step[] {
  const needsCard = has.isActivated || !has.service;
  const done: Record<StepName, boolean> = {
    email: has.email,
    card: has.isActivated,
    device: has.service && has.config,
    connected: false,
  };
  const names = stepNames.filter((name) => name !== 'card' || needsCard);
  const lit = names.find((name) => !done[name]);
  return names.map((name) => ({ name, state: name === lit ? 'lit' : done[name] ? 'done' : 'quiet' }));
}

/** Whether an account has used nothing yet: no byte was counted and no device has ever connected. */
export function hasUsedNothing(
  { totalTraffic, since }: Pick<Dashboard['quickStats'], 'totalTraffic' | 'since'>,
  configs: readonly Pick<Config, 'connected' | 'last_connected'>[],
): boolean {
  const isUncounted = totalTraffic === 0 && since === null;
  return isUncounted && configs.every(({ connected, last_connected }) => !connected && last_connected === null);
}
