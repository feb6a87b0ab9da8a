import { describeAlert } from '@raha/contract/admin/alert-rules.ts';
import { type Alert, remindMinutes, silenceMinutes } from '@raha/contract/admin/alerts.ts';
import { useState } from 'react';
import { duration } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { api } from '../api.ts';
import { FormDialog } from '../form-dialog.tsx';
import { useWork } from '../use-work.ts';

interface Props {
  readonly alert: Alert;
  onDone(sentence: string): void;
  onClose(): void;
}

/** Takes an alert on, and asks whether to be reminded if it does not go. */
export function TakeAlert({ alert, onDone, onClose }: Props) {
  const work = useWork();
  const [minutes, setMinutes] = useState<(typeof remindMinutes)[number] | null>(remindMinutes[0]);
  const take = async () => {
    await api.acknowledgeAlert({ params: { id: alert.id }, body: { remind_minutes: minutes } });
    onDone(m.console_alert_taken_outcome());
  };
  return (
    <FormDialog
      title={describeAlert(alert, currentLocale()).title}
      button={m.console_alert_take()}
      work={work}
      onSubmit={take}
      onClose={onClose}
    >
      <p>{m.console_alert_take_text()}</p>
      <Choice
        legend={m.console_alert_remind()}
        choices={[...remindMinutes, null]}
        chosen={minutes}
        nameOf={(value) => (value === null ? m.console_alert_remind_never() : spanOf(value))}
        onChoose={(value) => setMinutes(value)}
      />
    </FormDialog>
  );
}

/** Stops the messages about a cause for a time. */
export function SilenceAlert({ alert, onDone, onClose }: Props) {
  const work = useWork();
  const [minutes, setMinutes] = useState<(typeof silenceMinutes)[number]>(silenceMinutes[0]);
  const silence = async () => {
    await api.silenceAlert({ params: { id: alert.id }, body: { minutes } });
    onDone(m.console_alert_silenced_outcome());
  };
  return (
    <FormDialog
      title={describeAlert(alert, currentLocale()).title}
      button={m.console_alert_silence()}
      work={work}
      onSubmit={silence}
      onClose={onClose}
    >
      <p>{m.console_alert_silence_text()}</p>
      <Choice
        legend={m.console_alert_silence_for()}
        choices={silenceMinutes}
        chosen={minutes}
        nameOf={spanOf}
        onChoose={(value) => setMinutes(value)}
      />
    </FormDialog>
  );
}

interface ChoiceProps<T> {
  readonly legend: string;
  readonly choices: readonly T[];
  readonly chosen: NoInfer<T>;
  readonly nameOf: (value: T) => string;
  readonly onChoose: (value: T) => void;
}

function Choice<T extends number | null>({ legend, choices, chosen, nameOf, onChoose }: ChoiceProps<T>) {
  return (
    <fieldset className="c-pick">
      <legend>{legend}</legend>
      {choices.map((value) => (
        <label key={String(value)}>
          <input type="radio" name="span" checked={value === chosen} onChange={() => onChoose(value)} />
          {nameOf(value)}
        </label>
      ))}
    </fieldset>
  );
}

/** A round span: an hour, not "an hour and no minutes". */
function spanOf(minutes: number): string {
  const named: Readonly<Record<number, () => string>> = {
    60: m.console_span_hour,
    480: m.console_span_eight_hours,
    1440: m.console_span_day,
    10080: m.console_span_week,
  };
  return named[minutes]?.() ?? duration(minutes * 60);
}
