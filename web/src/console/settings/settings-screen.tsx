import { type SettingLine, settingAreas } from '@raha/contract/admin/settings.ts';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { LongWord } from '../long-word.tsx';
import { replaceWith, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { FlagMarks } from './flag-marks.tsx';
import { SettingScreen } from './setting-screen.tsx';
import { areaNames, isFound, shortValue } from './words.ts';

/** All settings of the operator, and one of them at an address of its own. */
export function SettingsScreen(props: ScreenProps) {
  const key = useAddress().path.split('/')[3];
  return key === undefined ? <SettingList /> : <SettingScreen key={key} settingKey={key} {...props} />;
}

const FIND_FIELD = 'settings-find';

interface Filters {
  readonly text: string;
  /** Only those with another value than the initial one. */
  readonly differing: boolean;
}

function addressOf({ text, differing }: Filters): string {
  const query = new URLSearchParams({ ...(text === '' ? {} : { text }), ...(differing ? { differing: '1' } : {}) });
  return query.size === 0 ? '/admin/settings' : `/admin/settings?${query}`;
}

function SettingList() {
  const { query } = useAddress();
  const filters = { text: query.get('text') ?? '', differing: query.get('differing') === '1' };
  const answer = useAnswer('settings', async () => (await api.listSettings()).data.settings);
  const { data } = answer;
  const found = data?.filter((line) => (line.differs || !filters.differing) && isFound(line, filters.text));
  return (
    <>
      <Lead title={data ? leadOf(data) : m.console_settings()} />
      <SettingFilters filters={filters} />
      <Reading of={answer} />
      {found?.length === 0 ? (
        <p className="c-note" role="status">
          {m.console_settings_none()}{' '}
          <button
            type="button"
            className="c-link"
            onClick={() => {
              replaceWith(addressOf({ text: '', differing: false }));
              // The button goes with what it cleared.
              document.getElementById(FIND_FIELD)?.focus();
            }}
          >
            {m.console_settings_clear()}
          </button>
        </p>
      ) : null}
      {settingAreas.map((area) => {
        const lines = found?.filter((line) => line.area === area) ?? [];
        return lines.length === 0 ? null : <Area key={area} name={areaNames[area]()} id={area} lines={lines} />;
      })}
      {data ? (
        <p className="c-note">
          <Link to="/admin/prices" className="c-link">
            {m.console_settings_price()}
          </Link>
        </p>
      ) : null}
    </>
  );
}

function leadOf(lines: readonly SettingLine[]): string {
  const differ = lines.filter(({ differs }) => differs).length;
  const count = number(lines.length);
  return differ === 0
    ? m.console_settings_lead({ count })
    : m.console_settings_lead_differ({ count, differ: number(differ) });
}

/** In the address, without an entry of its own for each character. */
function SettingFilters({ filters }: { filters: Filters }) {
  return (
    <search aria-label={m.console_settings_find()} className="c-setting-filters">
      <Field
        id={FIND_FIELD}
        label={m.console_settings_find()}
        hint={m.console_settings_find_hint()}
        type="search"
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={filters.text}
        onText={(text) => replaceWith(addressOf({ ...filters, text }))}
      />
      <div className="c-tabs">
        {[false, true].map((differing) => (
          <button
            key={String(differing)}
            type="button"
            aria-pressed={filters.differing === differing}
            onClick={() => replaceWith(addressOf({ ...filters, differing }))}
          >
            {differing ? m.console_settings_differing() : m.console_settings_all()}
          </button>
        ))}
      </div>
    </search>
  );
}

function Area({ id, name, lines }: { id: string; name: string; lines: readonly SettingLine[] }) {
  return (
    <section aria-labelledby={`settings-${id}`}>
      <h2 id={`settings-${id}`} className="c-head">
        {name}
      </h2>
      <table className="c-table c-settings">
        <thead>
          <tr>
            <th scope="col">{m.console_setting()}</th>
            <th scope="col">{m.console_setting_value()}</th>
            <th scope="col">{m.console_setting_last()}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <Line key={line.key} line={line} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Line({ line: { key, about, value, initial, differs, changed, flag } }: { line: SettingLine }) {
  const shown = shortValue(value, flag?.owner);
  return (
    <tr>
      <td>
        <Link to={`/admin/settings/${key}`} className="c-link c-code">
          <bdi dir="ltr">{key}</bdi>
        </Link>
        <small>{about[currentLocale()]}</small>
      </td>
      <td>
        {differs ? <b>{shown}</b> : shown}
        {flag ? <FlagMarks flag={flag} /> : null}
        {differs ? <small>{m.console_setting_initial_is({ value: shortValue(initial) })}</small> : null}
      </td>
      <td className={changed ? '' : 'c-quiet'}>
        {changed ? (
          <>
            <time dateTime={changed.at}>{dateTime(changed.at)}</time>
            <small>
              <LongWord word={changed.by} />
            </small>
          </>
        ) : (
          '–'
        )}
      </td>
    </tr>
  );
}
