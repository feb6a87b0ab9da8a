import { type FlagValue, flagValue } from '@raha/contract/admin/flags.ts';
import type { Executor } from './database.ts';
import { isOnFor } from './flag-rules.ts';
import { defineSetting, getSetting, type Setting } from './settings.ts';

/**
 * A setting that is on for some users (decision 130). A module declares it in its `settings.ts`, as any other, and asks `isFlagOn`; it is
 * for a rollout, and goes by its day: it is no permission.
 */
export interface Flag extends Setting<FlagValue> {
  readonly flag: string;
}

export function defineFlag(flag: string, initial: FlagValue): Flag {
  return { ...defineSetting(`flags.${flag}`, flagValue, initial), flag };
}

export function isFlag(setting: Setting<unknown>): setting is Setting<unknown> & Flag {
  return 'flag' in setting;
}

export async function isFlagOn(db: Executor, flag: Flag, userId: string): Promise<boolean> {
  return isOnFor(await getSetting(db, flag), flag.flag, userId);
}
