import type { Config } from '@raha/contract/public/configs.ts';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown, Copy, Download } from 'lucide-react';
import { useState } from 'react';
import { errorSentence } from '../../../api/error-sentence.ts';
import { configFileQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { toast } from '../../../ui/toast.ts';
import { saveFile } from '../shared/save-file.ts';
import { filenameOf, profileFor } from './config-file.ts';
import { DeviceGuide } from './device-guide.tsx';
import type { System } from './device-system.ts';
import { readProfileValues } from './profile-values.ts';
import { saveProfile } from './save-profile.ts';

/** The client of each system takes a profile in its own format; for the others the values are shown. */
export function Ikev2Profiles({ config, system }: { config: Config; system: System | undefined }) {
  return (
    <DeviceGuide
      protocol="ikev2"
      filename={filenameOf(config)}
      system={system}
      file={(shown) => shown !== 'linux' && <ProfileButton key={shown} config={config} system={shown} />}
    >
      {(shown) => profileFor(shown) === 'android' && <Values key={shown} config={config} isOpen={shown === 'linux'} />}
    </DeviceGuide>
  );
}

function ProfileButton({ config, system }: { config: Config; system: System }) {
  const form = profileFor(system);
  const [busy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    try {
      await saveProfile(config, form);
    } catch (error) {
      toast(errorSentence(error), 'problem');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button className="btn btn-primary w-full" busy={busy} onClick={() => void save()}>
      <Download className="size-5" aria-hidden />
      {m.download_file()}
      <bdi dir="ltr" className="font-code text-sm opacity-80">
        .{filenameOf(config, form).split('.').at(-1)}
      </bdi>
    </Button>
  );
}

/** For programs that ask: an older strongSwan app for the password, others for everything. */
function Values({ config, isOpen }: { config: Config; isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const profile = useQuery(configFileQuery(config.id, 'android'));
  if (profile.isError) {
    return (
      <div className="mt-5">
        <FieldNote problem={errorSentence(profile.error)} />
        <Button className="btn btn-ghost btn-sm mt-3" busy={profile.isFetching} onClick={() => void profile.refetch()}>
          {m.try_again()}
        </Button>
      </div>
    );
  }
  if (profile.data === undefined) return null;
  const { address, identity, userName, password, certificate } = readProfileValues(profile.data);
  const rows = [
    [m.ikev2_server_address(), address],
    [m.ikev2_server_identity(), identity],
    [m.ikev2_user_name(), userName],
    [m.ikev2_password(), password],
  ] as const;
  return (
    <details
      className="group mt-5 rounded-md bg-surface-2 px-4 py-3"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="font-semibold text-sm cursor-pointer min-h-8 flex items-center justify-between">
        {m.ikev2_by_hand()}
        <ChevronDown className="size-5 text-text-3 group-open:rotate-180" aria-hidden />
      </summary>
      {open && (
        <>
          <ul className="grid gap-3 mt-3">
            {rows.map(([label, value]) => (
              <li key={label} className="flex items-end gap-2">
                <span className="flex-1 min-w-0">
                  <span className="block text-xs text-text-3">{label}</span>
                  <bdi dir="ltr" className="block font-code text-sm [overflow-wrap:anywhere]">
                    {value}
                  </bdi>
                </span>
                <Button
                  className="icon-btn"
                  aria-label={m.copy_named({ name: label })}
                  onClick={() => void copy(value)}
                >
                  <Copy className="size-5" aria-hidden />
                </Button>
              </li>
            ))}
          </ul>
          <Button
            className="btn btn-ghost btn-sm mt-3"
            onClick={() => saveFile(`${filenameOf(config).split('.')[0]}.pem`, certificate)}
          >
            <Download className="size-4" aria-hidden />
            {m.ikev2_certificate()}
          </Button>
        </>
      )}
    </details>
  );
}

async function copy(value: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(value);
    toast(m.copied_value());
  } catch {
    toast(m.copy_value_failed(), 'problem');
  }
}
