import { isPermitted, staffRoles } from '@raha/contract/admin/roles.ts';
import { sentenceOfAllowed } from '@raha/contract/admin/setting-values.ts';
import type { SettingChange, SettingLine } from '@raha/contract/admin/settings.ts';
import { useState } from 'react';
import { dateTime } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { PageButtons } from '../page-buttons.tsx';
import { goTo, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { roleNames } from '../words.ts';
import { ChangeSetting, ResetSetting } from './change-setting.tsx';
import { FlagMarks } from './flag-marks.tsx';
import { shortValue, storedValue } from './words.ts';

/** One setting: what it does, its value, what one may do, and every change, page by page. */
export function SettingScreen({ settingKey: key, self }: ScreenProps & { settingKey: string }) {
  const { query } = useAddress();
  const before = Number(query.get('before')) || undefined;
  const answer = useAnswer(`${key} ${before ?? ''}`, async () => {
    return (await api.readSetting({ params: { key }, query: before ? { before } : {} })).data;
  });
  const { data, isLoading, reload } = answer;
  const [open, setOpen] = useState<'change' | 'reset'>();
  const [outcome, setOutcome] = useState('');
  const mayChange = isPermitted(self.role, 'settings.manage');
  const address = `/admin/settings/${key}`;
  const oldest = data?.changes.at(-1)?.number;
  const acts = {
    onDone: (sentence: string) => {
      setOpen(undefined);
      setOutcome(sentence);
      reload();
    },
    onChangedMeanwhile: reload,
    onClose: () => setOpen(undefined),
  };
  return (
    <>
      <Lead
        title={data ? data.setting.about[currentLocale()] : m.console_setting()}
        {...(data && !mayChange ? { text: m.console_setting_no_right({ roles: managers() }) } : {})}
      >
        {data && mayChange ? (
          <div className="c-buttons">
            {data.setting.differs ? (
              <button type="button" className="c-button" onClick={() => setOpen('reset')}>
                {m.console_setting_reset()}
              </button>
            ) : null}
            <button type="button" className="c-button c-main" onClick={() => setOpen('change')}>
              {m.console_setting_change()}
            </button>
          </div>
        ) : null}
      </Lead>
      <Reading of={answer} outcome={outcome} />
      {data ? <Facts setting={data.setting} /> : null}
      {data ? <History setting={data.setting} changes={data.changes} isOld={isLoading} /> : null}
      <PageButtons
        onNewest={before ? () => goTo(address) : undefined}
        onOlder={data?.more ? () => goTo(`${address}?before=${oldest}`) : undefined}
      />
      <p className="c-note">
        <Link to="/admin/settings" className="c-link">
          {m.console_settings()}
        </Link>
      </p>
      {data && open === 'change' ? <ChangeSetting setting={data.setting} {...acts} /> : null}
      {data && open === 'reset' ? <ResetSetting setting={data.setting} {...acts} /> : null}
    </>
  );
}

function managers(): string {
  const roles = staffRoles.filter((role) => isPermitted(role, 'settings.manage'));
  return new Intl.ListFormat(currentLocale() === 'fa' ? 'fa-IR' : 'en').format(roles.map((role) => roleNames[role]()));
}

function Facts({ setting }: { setting: SettingLine }) {
  const { key, allowed, value, initial, differs, flag } = setting;
  return (
    <dl className="c-facts c-setting">
      <dt>{m.console_setting_value()}</dt>
      <dd>
        <Value setting={setting} value={value} />
        {flag ? <FlagMarks flag={flag} /> : null}
      </dd>
      {differs ? (
        <>
          <dt>{m.console_setting_initial()}</dt>
          <dd>
            <Value setting={setting} value={initial} />
          </dd>
        </>
      ) : null}
      <dt>{m.console_setting_allowed()}</dt>
      <dd>{sentenceOfAllowed(allowed, currentLocale())}</dd>
      <dt>{m.console_setting_key()}</dt>
      <dd>
        <bdi dir="ltr" className="c-code">
          {key}
        </bdi>
      </dd>
    </dl>
  );
}

/** The whole value: what is written as JSON stands in lines. */
function Value({ setting: { allowed, flag }, value }: { setting: SettingLine; value: unknown }) {
  if (allowed.kind !== 'json') return <>{shortValue(value, flag?.owner)}</>;
  const isOneLine = value === null || (Array.isArray(value) && value.every((item) => typeof item !== 'object'));
  return (
    <pre dir="ltr" className="c-code">
      {isOneLine ? JSON.stringify(value) : JSON.stringify(value, null, 2)}
    </pre>
  );
}

interface HistoryProps {
  readonly setting: SettingLine;
  readonly changes: readonly SettingChange[];
  readonly isOld: boolean;
}

function History({ setting, changes, isOld }: HistoryProps) {
  return (
    <section aria-labelledby="setting-history">
      <h2 id="setting-history" className="c-head">
        {m.console_setting_history()}
      </h2>
      {changes.length === 0 ? (
        <p className="c-note">{m.console_setting_no_history()}</p>
      ) : (
        <table className="c-table c-audit c-setting-changes" aria-busy={isOld}>
          <thead>
            <tr>
              <th scope="col">{m.console_setting_when()}</th>
              <th scope="col">{m.console_setting_who()}</th>
              <th scope="col">{m.console_setting_step()}</th>
              <th scope="col">{m.console_reason()}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <Change key={change.number} setting={setting} change={change} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Change({ setting, change }: ChangeProps) {
  const { at, by, is_machine: isMachine, before, after, is_reset: isReset, reason } = change;
  const step = { before: storedValue(before, setting), after: storedValue(after, setting) };
  return (
    <tr>
      <td>
        <time dateTime={at}>{dateTime(at)}</time>
      </td>
      <td>
        <bdi dir="ltr">{by}</bdi>
        {isMachine ? <small>{m.console_audit_machine()}</small> : null}
      </td>
      <td>
        {m.console_setting_from_to(step)}
        {isReset ? <small>{m.console_setting_is_reset()}</small> : null}
      </td>
      <td className={reason ? '' : 'c-quiet'}>{reason ? <q>{reason}</q> : '–'}</td>
    </tr>
  );
}

interface ChangeProps {
  readonly setting: SettingLine;
  readonly change: SettingChange;
}
