import type { SettingLine } from '@raha/contract/admin/settings.ts';
import { useState } from 'react';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { ActDialog } from '../act-dialog.tsx';
import { api, hasCode } from '../api.ts';
import { asFlag } from './flag-words.ts';
import { ValueField } from './value-field.tsx';
import { draftOf, quotedValue, readDraft, shortValue } from './words.ts';

interface Props {
  readonly setting: SettingLine;
  onDone(sentence: string): void;
  /** Somebody else changed it while the dialog was open. */
  onChangedMeanwhile(): void;
  onClose(): void;
}

/** Another value, with what it does before it is confirmed. What was typed stays when somebody else was faster. */
export function ChangeSetting({ setting, onDone, onChangedMeanwhile, onClose }: Props) {
  const { key, about, allowed, value: before } = setting;
  const [draft, setDraft] = useState(() => draftOf(setting));
  const given = readDraft(allowed, draft);
  const isAnother = given !== undefined && !isSame(given.value, before);
  return (
    <ActDialog
      title={about[currentLocale()]}
      effect={isAnother ? effectOf(setting, given.value, draft.flag?.email) : sameOf(setting)}
      button={m.console_setting_change()}
      isReady={isAnother}
      act={(reason) =>
        orReload(onChangedMeanwhile, () =>
          api.changeSetting({ params: { key }, body: { value: given?.value, expected: before, reason } }),
        )
      }
      onDone={() => onDone(m.console_setting_changed())}
      onClose={onClose}
    >
      {() => <ValueField setting={setting} draft={draft} onDraft={setDraft} />}
    </ActDialog>
  );
}

export function ResetSetting({ setting, onDone, onChangedMeanwhile, onClose }: Props) {
  const { key, value: before, initial } = setting;
  return (
    <ActDialog
      title={m.console_setting_reset()}
      effect={effectOf(setting, initial)}
      button={m.console_setting_reset()}
      act={(reason) =>
        orReload(onChangedMeanwhile, () => api.resetSetting({ params: { key }, body: { expected: before, reason } }))
      }
      onDone={() => onDone(m.console_setting_was_reset())}
      onClose={onClose}
    />
  );
}

function effectOf({ value, flag }: SettingLine, after: unknown, owner?: string | null): string {
  return m.console_setting_effect({ before: quotedValue(value, flag?.owner), after: quotedValue(after, owner) });
}

function sameOf({ value, flag }: SettingLine): string {
  return m.console_setting_effect_same({ before: shortValue(value, flag?.owner) });
}

/** The parts of a flag come in another order from the database. */
function isSame(a: unknown, b: unknown): boolean {
  const [one, other] = [asFlag(a), asFlag(b)];
  if (!one || !other) return JSON.stringify(a) === JSON.stringify(b);
  return one.percent === other.percent && one.owner === other.owner && one.until === other.until;
}

/** Refused because of another member's change: the screen reads the new value, by which one decides again. */
async function orReload(onChangedMeanwhile: () => void, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (hasCode(error, 'setting_changed')) onChangedMeanwhile();
    throw error;
  }
}
