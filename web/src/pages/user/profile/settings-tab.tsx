import type { Profile, Settings } from '@raha/contract/public/profile.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { type LocalSettings, readLocalSettings, writeAutoConnect, writeLanguage } from '../../../api/local-settings.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Choice } from '../../../ui/choice.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { chooseTheme } from '../../../ui/theme-choice.ts';
import { toast } from '../../../ui/toast.ts';
import { DevicePush } from './device-push.tsx';
import { MailChoices } from './mail-choices.tsx';
import { dnsFilteringQuery, profileApi, sentenceOr, settingsQuery } from './profile-api.ts';
import { useLocalSettings } from './use-local-settings.ts';

/** Each change is made at once. What the panel itself does is kept in this browser; the server keeps it for other clients. */
export default function SettingsTab({ profile }: { profile: Profile }) {
  const queries = useQueryClient();
  const settings = useQuery(settingsQuery);

  /** What only the server can do: undone on the screen when it did not take it. */
  const change = async (body: Partial<Settings>) => {
    const before = queries.getQueryData(settingsQuery.queryKey);
    queries.setQueryData(settingsQuery.queryKey, (known) => known && { ...known, ...body });
    try {
      const { data } = await profileApi.updateSettings({ body });
      queries.setQueryData(settingsQuery.queryKey, data.settings);
      toast(m.settings_saved());
    } catch (error) {
      queries.setQueryData(settingsQuery.queryKey, before);
      toast(sentenceOr(error, m.settings_not_saved()), 'problem');
    }
  };
  if (settings.isError && !settings.data) {
    return (
      <FailureCard
        title={m.settings_failed()}
        error={settings.error}
        busy={settings.isFetching}
        onRetry={() => void settings.refetch()}
      />
    );
  }
  const known = settings.data;
  const hasPhone = profile.phone !== null;
  return (
    <div className="grid gap-4 sm:gap-5 xl:grid-cols-2 items-start">
      <Card title={m.settings_notifications()}>
        <Switch
          label={m.settings_email()}
          hint={m.settings_email_text()}
          checked={known?.emailNotifications ?? false}
          busy={!known}
          onChange={(emailNotifications) => void change({ emailNotifications })}
        />
        {known?.emailNotifications && <MailChoices />}
        <Switch
          label={m.settings_sms()}
          hint={hasPhone ? m.settings_sms_text() : m.settings_sms_needs_phone()}
          checked={hasPhone && (known?.smsNotifications ?? false)}
          busy={!known || !hasPhone}
          onChange={(smsNotifications) => void change({ smsNotifications })}
        />
        <DevicePush />
      </Card>
      <div className="grid gap-4 sm:gap-5">
        <PanelCard />
        <DnsFilteringCard />
      </div>
    </div>
  );
}

/** Not there where it could do nothing. */
function DnsFilteringCard() {
  const queries = useQueryClient();
  const { data } = useQuery(dnsFilteringQuery);
  if (!data || !(data.available || data.enabled)) return null;
  const change = async (enabled: boolean) => {
    queries.setQueryData(dnsFilteringQuery.queryKey, { ...data, enabled });
    try {
      const answer = await profileApi.setDnsFiltering({ body: { enabled } });
      queries.setQueryData(dnsFilteringQuery.queryKey, answer.data);
      toast(m.settings_saved());
    } catch (error) {
      queries.setQueryData(dnsFilteringQuery.queryKey, data);
      toast(sentenceOr(error, m.settings_not_saved()), 'problem');
    }
  };
  const figures = [
    { label: m.dns_filtering_today(), count: data.blockedToday },
    { label: m.dns_filtering_month(), count: data.blockedMonth },
  ];
  return (
    <Card title={m.dns_filtering_title()} {...(data.available ? {} : { note: m.dns_filtering_absent() })}>
      <Switch
        label={m.dns_filtering_label()}
        hint={m.dns_filtering_text()}
        checked={data.enabled}
        onChange={(enabled) => void change(enabled)}
      />
      <dl className="flex flex-wrap gap-x-8 gap-y-3">
        {figures.map(({ label, count }) => (
          <div key={label}>
            <dt className="text-sm text-text-2">{label}</dt>
            <dd className="text-xl font-bold">{number(count)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

function PanelCard() {
  const local = useLocalSettings();
  /** What this browser does: done whatever the server says; it hears of it for other clients and for its mails. */
  const keep = async (body: Partial<LocalSettings>) => {
    toast(m.settings_saved());
    await profileApi.updateSettings({ body }).catch(() => undefined);
  };
  return (
    <Card title={m.settings_panel()} note={m.settings_note()}>
      <Switch
        label={m.settings_connect()}
        hint={m.settings_connect_text()}
        checked={local.autoConnect}
        onChange={(autoConnect) => {
          writeAutoConnect(autoConnect);
          void keep({ autoConnect });
        }}
      />
      <Choice
        label={m.settings_language()}
        name="language"
        options={[
          { value: 'fa', label: m.settings_language_fa() },
          { value: 'en', label: m.settings_language_en() },
        ]}
        value={local.language}
        onChange={(language) => {
          if (language === readLocalSettings().language) return;
          // The page opens anew: what the server is told has arrived by then.
          void keep({ language }).then(() => writeLanguage(language));
        }}
      />
      <Choice
        label={m.settings_theme()}
        name="theme"
        options={[
          { value: 'light', label: m.settings_theme_light() },
          { value: 'dark', label: m.settings_theme_dark() },
          { value: 'auto', label: m.settings_theme_auto() },
        ]}
        value={local.theme}
        onChange={(theme) => {
          chooseTheme(theme);
          void keep({ theme });
        }}
      />
    </Card>
  );
}

function Card({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="panel p-4 sm:p-6 grid gap-5">
      <h2 id={id} className="text-base font-bold">
        {title}
      </h2>
      {children}
      {note && <p className="text-sm text-text-3">{note}</p>}
    </section>
  );
}
