import type { Actor } from '../../platform/audit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import type { Change } from './plan-change.ts';

/** What the command line says where the console has a code. */
const sentences = {
  not_found: 'There is no such version.',
  plans_changed: 'Somebody else has changed this plan meanwhile.',
  plan_planned: 'A change of this plan is planned already: cancel it first.',
  plan_unchanged: 'The plan is so already.',
  plan_at_once: 'A new plan, names, place and whether it is sold change at once, without --from.',
  plan_original_price: 'The original price must be above the price; --original none takes it away.',
  price_moment: 'A planned change begins at least two minutes and at most a year from now.',
  price_in_force: 'This version cannot be cancelled any more.',
} as const;

export function refuse(actor: Actor, code: keyof typeof sentences, details: Record<string, number> = {}): never {
  if (actor.kind === 'staff') throw new Refusal(code, { details });
  throw new OperatorMistake(code === 'not_found' ? 'not-found' : 'conflict', sentences[code]);
}

export function requireFit(id: string, { nameFa, nameEn }: Change): void {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(id))
    throw new OperatorMistake('invalid', 'takes lower-case letters, digits and hyphens.', 'id');
  requireName('nameFa', nameFa);
  requireName('nameEn', nameEn);
}

function requireName(field: 'nameFa' | 'nameEn', name: string | undefined): void {
  if (name !== undefined && (name.trim() === '' || name.length > 40 || name.includes('|')))
    throw new OperatorMistake('invalid', 'takes at most 40 characters, without "|".', field);
}
