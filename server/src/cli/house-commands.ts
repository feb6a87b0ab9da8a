import { readSettings } from '../app/all-settings.ts';
import { changeSetting, resetSetting } from '../app/change-setting.ts';
import { checkLedger } from '../app/check-ledger.ts';
import { actor, type Commands, type Context, type Result, stringify, UsageError } from './context.ts';

/** Settings, and the ledger's proof of itself. */
export const houseCommands: Commands = {
  'settings get': { usage: '[key]', run: getSettings },
  'settings set': { usage: '<key> <value>', run: setSettingCommand },
  'settings reset': { usage: '<key>', run: resetSettingCommand },
  'ledger check': { usage: '', run: checkLedgerCommand },
};

async function getSettings({ db, clock, positionals }: Context): Promise<Result> {
  const data = await readSettings(db, clock.now(), positionals[2]);
  return { data, lines: Object.entries(data).map(([key, value]) => `${key} = ${JSON.stringify(value)}`) };
}

async function setSettingCommand(context: Context): Promise<Result> {
  const [, , key, value] = context.positionals;
  if (key === undefined || value === undefined)
    throw new UsageError('Say which setting and which value: settings set <key> <value>.');
  const stored = await changeSetting(context, { actor, key, text: value });
  return { data: { [key]: stored }, lines: [`${key} = ${JSON.stringify(stored)}`] };
}

async function resetSettingCommand(context: Context): Promise<Result> {
  const [, , key] = context.positionals;
  if (key === undefined) throw new UsageError('Say which setting: settings reset <key>.');
  const initial = await resetSetting(context, { actor, key });
  return { data: { [key]: initial }, lines: [`${key} = ${JSON.stringify(initial)}`] };
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
