import { staffLimits } from '@raha/contract/admin/limits.ts';
import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { useId, useState } from 'react';
import { number, shortDay } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api, hasCode } from '../api.ts';
import { Field } from '../field.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { gatewayName } from '../payments/words.ts';
import { useProof } from '../proof.tsx';
import { useWork } from '../use-work.ts';

interface Props {
  onDone(sentence: string): void;
  onClose(): void;
}

type Done = Awaited<ReturnType<typeof api.importSettlement>>['data'];

/** A gateway’s settlement file. One that seems to be somebody else’s is sent again only when that was confirmed. */
export function ImportFile({ onDone, onClose }: Props) {
  const ids = { file: useId(), sure: useId() };
  const [gateway, setGateway] = useState<GatewayName>('zarinpal');
  const [unit, setUnit] = useState<UnitChoice>('');
  const [file, setFile] = useState<File>();
  const [days, setDays] = useState({ from: '', to: '' });
  const [isDateless, setDateless] = useState(false);
  const [isUnlikely, setUnlikely] = useState(false);
  const [isSure, setSure] = useState(false);
  const work = useWork();
  const withProof = useProof();
  const isTooLarge = file !== undefined && file.size > staffLimits.settlements.fileBytes;
  const submit = async () => {
    if (!file) return;
    const body = {
      ...{ gateway, name: file.name, content: await base64Of(file) },
      ...(unit === '' ? {} : { unit }),
      ...(days.from === '' ? {} : { from: days.from }),
      ...(days.to === '' ? {} : { to: days.to }),
      ...(isSure ? { all_the_same: true } : {}),
    };
    let done: Done | undefined;
    const send = async () => {
      done = (await api.importSettlement({ body })).data;
    };
    try {
      if ((await withProof(send)) && done) onDone(sentenceOf(done));
    } catch (error) {
      setUnlikely(hasCode(error, 'settlement_unlikely'));
      if (hasCode(error, 'settlement_days')) setDateless(true);
      throw error;
    }
  };
  return (
    <FormDialog
      title={m.console_import()}
      button={m.console_import()}
      work={work}
      isReady={file !== undefined && !isTooLarge && (!isUnlikely || isSure)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Choice<GatewayName>
        label={m.console_gateway()}
        value={gateway}
        options={paymentGateways.map((name) => [name, gatewayName(name)])}
        onValue={setGateway}
      />
      <div className="c-field c-file">
        <input
          id={ids.file}
          type="file"
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          aria-describedby={`${ids.file}-note`}
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0]);
            setUnlikely(false);
          }}
        />
        <label htmlFor={ids.file} className="c-button">
          {m.console_import_choose()}
        </label>
        <p id={`${ids.file}-note`} className={isTooLarge ? 'c-wrong' : 'c-hint'}>
          {file ? (
            <span className="c-file-name">
              <bdi>{file.name}</bdi>
            </span>
          ) : null}
          {isTooLarge ? m.console_import_too_large() : m.console_import_hint()}
        </p>
      </div>
      <Choice<UnitChoice> label={m.console_import_unit()} value={unit} options={units()} onValue={setUnit} />
      {isDateless ? <Days days={days} onDays={setDays} /> : null}
      {isUnlikely ? (
        <label className="c-check" htmlFor={ids.sure}>
          <input
            id={ids.sure}
            type="checkbox"
            checked={isSure}
            onChange={(event) => setSure(event.currentTarget.checked)}
          />
          {m.console_import_sure()}
        </label>
      ) : null}
      <p className="c-effect">{m.console_import_effect()}</p>
    </FormDialog>
  );
}

type UnitChoice = '' | 'rial' | 'toman';

const units = (): readonly (readonly [UnitChoice, string])[] => [
  ['', m.console_import_unit_file()],
  ['rial', m.console_import_rial()],
  ['toman', m.console_import_toman()],
];

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  onValue(value: T): void;
}

function Choice<T extends string>({ label, value, options, onValue }: ChoiceProps<T>) {
  const id = useId();
  return (
    <div className="c-field">
      <label htmlFor={id}>{label}</label>
      <select id={id} className="c-input" value={value} onChange={(event) => onValue(event.currentTarget.value as T)}>
        {options.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface DaysProps {
  readonly days: { readonly from: string; readonly to: string };
  onDays(days: DaysProps['days']): void;
}

/** Of a file without dates. */
function Days({ days, onDays }: DaysProps) {
  return (
    <div className="c-two">
      <Field
        label={m.console_import_from()}
        type="date"
        value={days.from}
        onText={(from) => onDays({ ...days, from })}
      />
      <Field label={m.console_import_to()} type="date" value={days.to} onText={(to) => onDays({ ...days, to })} />
    </div>
  );
}

function sentenceOf({ again, lines, settled, opened, solved, from, to }: Done): string {
  if (again) return m.console_import_again();
  const days = { from: shortDay(from), to: shortDay(to) };
  const counts = { settled: number(settled), opened: number(opened), solved: number(solved) };
  return m.console_imported({ lines: number(lines), ...days, ...counts });
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  // In parts, because every byte is an argument of the call.
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}
