import { readSettingByKey, setSettingByKey, settingKeys } from '../app/all-settings.ts';
import { checkLedger } from '../app/check-ledger.ts';
import { systemClock } from '../platform/clock.ts';
import { type Commands, type Context, type Result, stringify, UsageError } from './context.ts';

/** Settings, and the ledger's proof of itself. */
export const houseCommands: Commands = {
  'settings get': { usage: '[key]', run: getSettings },
  'settings set': { usage: '<key> <value>', run: setSettingCommand },
  'ledger check': { usage: '', run: checkLedgerCommand },
};

async function getSettings({ db, positionals }: Context): Promise<Result> {
  const wanted = positionals[2];
  if (wanted !== undefined && !settingKeys.includes(wanted)) throw new UsageError(`There is no setting "${wanted}".`);
  const entries = await Promise.all(
    settingKeys
      .filter((key) => wanted === undefined || key === wanted)
      .map(async (key) => [key, await readSettingByKey(db, key)] as const),
  );
  return {
    data: Object.fromEntries(entries),
    lines: entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  };
}

async function setSettingCommand({ db, positionals }: Context): Promise<Result> {
  const [, , key, value] = positionals;
  if (key === undefined || value === undefined)
    throw new UsageError('Say which setting and which value: settings set <key> <value>.');
  const stored = await setSettingByKey(db, key, value, systemClock.now());
  return { data: { [key]: stored }, lines: [`${key} = ${JSON.stringify(stored)}`] };
}

async function checkLedgerCommand({ db }: Context): Promise<Result> {
  const { checked, violations } = await checkLedger(db);
  const lines = checked.map((name) => {
    const found = violations.find((violation) => violation.invariant === name);
    return found ? `BROKEN ${name}\n  ${stringify(found.rows)}` : `holds  ${name}`;
  });
  return {
    data: { holds: violations.length === 0, checked, violations },
    lines,
    exitCode: violations.length === 0 ? 0 : 1,
  };
}
