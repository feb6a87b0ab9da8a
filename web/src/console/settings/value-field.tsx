import { sentenceOfAllowed } from '@raha/contract/admin/setting-values.ts';
import type { SettingLine } from '@raha/contract/admin/settings.ts';
import { useId } from 'react';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { Field } from '../field.tsx';
import { FlagField } from './flag-field.tsx';
import { type Draft, readDraft } from './words.ts';

interface Props {
  readonly setting: SettingLine;
  readonly draft: Draft;
  onDraft(draft: Draft): void;
}

/** The field that fits the values of a setting: a switch, a choice, a number, a text, a flag, or JSON. */
export function ValueField({ setting: { allowed }, draft, onDraft }: Props) {
  const hint = sentenceOfAllowed(allowed, currentLocale());
  const setText = (text: string) => onDraft({ ...draft, text });
  switch (allowed.kind) {
    case 'switch':
      return (
        <label className="c-check">
          <input
            type="checkbox"
            role="switch"
            checked={draft.isOn}
            aria-checked={draft.isOn}
            onChange={(event) => onDraft({ ...draft, isOn: event.currentTarget.checked })}
          />
          {draft.isOn ? m.console_setting_on() : m.console_setting_off()}
        </label>
      );
    case 'choice':
      return (
        <fieldset className="c-pick">
          <legend>{m.console_setting_value()}</legend>
          {allowed.words.map((word) => (
            <label key={word}>
              <input type="radio" name="value" checked={draft.text === word} onChange={() => setText(word)} />
              <bdi dir="ltr">{word}</bdi>
            </label>
          ))}
        </fieldset>
      );
    case 'number':
      return (
        <>
          <Field
            label={m.console_setting_value()}
            hint={hint}
            inputMode={allowed.is_whole ? 'numeric' : 'decimal'}
            dir="ltr"
            autoComplete="off"
            disabled={draft.isAuto}
            value={draft.text}
            onText={setText}
          />
          {allowed.or_auto ? (
            <label className="c-check">
              <input
                type="checkbox"
                checked={draft.isAuto}
                onChange={(event) => onDraft({ ...draft, isAuto: event.currentTarget.checked })}
              />
              {m.console_setting_auto()}
            </label>
          ) : null}
        </>
      );
    case 'text':
      return (
        <Field
          label={m.console_setting_value()}
          hint={hint}
          dir="auto"
          autoComplete="off"
          spellCheck={false}
          value={draft.text}
          onText={setText}
        />
      );
    case 'flag':
      return draft.flag ? <FlagField draft={draft.flag} onDraft={(flag) => onDraft({ ...draft, flag })} /> : null;
    case 'json':
      return <JsonField hint={hint} isWrong={!readDraft(allowed, draft)} text={draft.text} onText={setText} />;
  }
}

interface JsonProps {
  readonly hint: string;
  readonly isWrong: boolean;
  readonly text: string;
  onText(text: string): void;
}

function JsonField({ hint, isWrong, text, onText }: JsonProps) {
  const id = useId();
  return (
    <div className="c-field">
      <label htmlFor={id}>{m.console_setting_value()}</label>
      <textarea
        id={id}
        className="c-input c-json"
        dir="ltr"
        rows={Math.min(12, Math.max(4, text.split('\n').length))}
        spellCheck={false}
        autoComplete="off"
        aria-invalid={isWrong ? true : undefined}
        aria-describedby={`${id}-note`}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <p id={`${id}-note`} className={isWrong ? 'c-wrong' : 'c-hint'}>
        {isWrong ? m.console_setting_not_json() : hint}
      </p>
    </div>
  );
}
