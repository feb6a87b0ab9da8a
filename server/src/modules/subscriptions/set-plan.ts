import { type Actor, type Audit, differences } from '../../platform/audit.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { changePlan, listPlans, type PlanRow } from './plans.ts';

export type PlanChange = Partial<Omit<PlanRow, 'id'>>;

/** An operator changes a plan, or makes a new one. What is bought already keeps what was agreed. */
export async function setPlan(
  deps: { readonly db: Database; readonly audit: Audit },
  { actor, id, change }: { readonly actor: Actor; readonly id: string; readonly change: PlanChange },
): Promise<PlanRow> {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(id))
    throw new OperatorMistake('invalid', 'takes lower-case letters, digits and hyphens.', 'id');
  requireName('nameFa', change.nameFa);
  requireName('nameEn', change.nameEn);
  const known = (await listPlans(deps.db)).find((plan) => plan.id === id);
  const price = change.priceToman ?? known?.priceToman ?? 0n;
  const original = 'originalPriceToman' in change ? change.originalPriceToman : known?.originalPriceToman;
  if (original !== undefined && original <= price)
    throw new OperatorMistake('conflict', 'The original price must be above the price.');
  return await inTransaction(deps.db, async (tx) => {
    const plan = await changePlan(tx, id, change);
    const target = { kind: 'plan', id } as const;
    await deps.audit.record(tx, actor, {
      action: 'plans.set',
      target,
      changed: differences({ ...known }, { ...plan }),
    });
    return plan;
  });
}

function requireName(field: 'nameFa' | 'nameEn', name: string | undefined): void {
  if (name !== undefined && (name.length > 40 || name.includes('|')))
    throw new OperatorMistake('invalid', 'takes at most 40 characters, without "|".', field);
}
