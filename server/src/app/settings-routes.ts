import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { settingCalls } from '@raha/contract/admin/settings.ts';
import { listEntries, listLastEntries } from '../modules/audit/audit.ts';
import { type AdminHandlers, actorOf } from '../modules/staff/admit.ts';
import { listMembers } from '../modules/staff/list-members.ts';
import type { Audit } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database.ts';
import { Refusal } from '../platform/refusal.ts';
import { readSettings, type Setting } from '../platform/settings.ts';
import { settings } from './all-settings.ts';
import { changeSetting, resetSetting } from './change-setting.ts';
import { describeChange, describeSetting } from './describe-setting.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Settings in the console: what `raha settings` reads and changes. The price is not among them; it has a screen of its own. */
export function settingRoutes(deps: Deps): AdminHandlers<typeof settingCalls> {
  const { db, clock } = deps;
  return {
    async listSettings() {
      const values = await readSettings(db, [...settings.values()]);
      const last = await listLastEntries(db, 'setting', [...settings.keys()]);
      const members = await listMembers(db);
      const lines = [...settings.values()].sort(byKey).map((setting) => {
        const entry = last.get(setting.key);
        const changed = entry && describeChange(entry, members);
        return describeSetting(setting, values.get(setting.key), changed, { members, now: clock.now() });
      });
      return { success: true, data: { settings: lines } };
    },
    async readSetting({ params, query }) {
      const setting = find(params.key);
      const target = { kind: 'setting', id: setting.key };
      const before = query.before === undefined ? undefined : BigInt(query.before);
      const rows = await listEntries(db, { target, before }, staffLimits.settings.page + 1);
      const last = await listLastEntries(db, target.kind, [target.id]);
      const values = await readSettings(db, [setting]);
      const members = await listMembers(db);
      const newest = last.get(setting.key);
      const changed = newest && describeChange(newest, members);
      const line = describeSetting(setting, values.get(setting.key), changed, { members, now: clock.now() });
      const changes = rows.slice(0, staffLimits.settings.page).map((row) => describeChange(row, members));
      return { success: true, data: { setting: line, changes, more: rows.length > changes.length } };
    },
    async changeSetting({ caller, params, body }) {
      const { key } = find(params.key);
      const { value, expected, reason } = body;
      const order = { actor: actorOf(caller), key, value, expected: { value: expected }, reason };
      return { success: true, data: { value: await changeSetting(deps, order) } };
    },
    async resetSetting({ caller, params, body }) {
      const { key } = find(params.key);
      await resetSetting(deps, {
        actor: actorOf(caller),
        key,
        expected: { value: body.expected },
        reason: body.reason,
      });
      return { success: true };
    },
  };
}

const byKey = (a: Setting<unknown>, b: Setting<unknown>) => (a.key < b.key ? -1 : 1);

function find(key: string): Setting<unknown> {
  const setting = settings.get(key);
  if (!setting) throw new Refusal('not_found');
  return setting;
}
