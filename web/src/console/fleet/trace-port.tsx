import type { LiveNode, TraceOutcome } from '@raha/contract/admin/fleet.ts';
import { foldDigits } from '@raha/contract/persian.ts';
import { useId, useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { Link } from '../link.tsx';
import { isolated } from '../people/words.ts';

type Node = Pick<LiveNode, 'id' | 'name'>;

interface Props {
  readonly node: Node;
  /** None while it is asked again. */
  onOutcome(outcome: TraceOutcome | undefined): void;
}

/** After a complaint: asks the server which config uses a port now. */
export function TracePort({ node, onOutcome }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="c-button"
        onClick={() => {
          onOutcome(undefined);
          setOpen(true);
        }}
      >
        {m.console_trace()}
      </button>
      {isOpen ? (
        <TraceDialog
          node={node}
          onOutcome={(result) => {
            setOpen(false);
            onOutcome(result);
          }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}

export function TraceAnswer({ outcome }: { outcome: TraceOutcome }) {
  if (outcome.outcome !== 'found') return <p>{sentenceOf(outcome)}</p>;
  return (
    <>
      <p>
        {m.console_trace_found()}{' '}
        <bdi dir="ltr" className="c-code">
          {outcome.config}
        </bdi>
      </p>
      <p>
        <Link to={`/admin/people/${outcome.user}`} className="c-link">
          {m.console_trace_owner()}
        </Link>
      </p>
    </>
  );
}

const sentences: Readonly<Record<Exclude<TraceOutcome['outcome'], 'found' | 'several'>, () => string>> = {
  unused: m.console_trace_unused,
  offline: m.console_trace_offline,
  no_answer: m.console_trace_no_answer,
  old_agent: m.console_trace_old_agent,
  unable: m.console_trace_unable,
};

function sentenceOf(outcome: Exclude<TraceOutcome, { outcome: 'found' }>): string {
  if (outcome.outcome === 'several') return m.console_trace_several({ count: number(outcome.configs) });
  return sentences[outcome.outcome]();
}

/** Longer than the server waits for the node. */
const WAIT_MS = 20_000;
const protocols = ['tcp', 'udp'] as const;
const families = [4, 6] as const;

interface DialogProps extends Props {
  onClose(): void;
}

function TraceDialog({ node, onOutcome, onClose }: DialogProps) {
  const [port, setPort] = useState('');
  const [remote, setRemote] = useState('');
  const [protocol, setProtocol] = useState<(typeof protocols)[number]>('tcp');
  const [family, setFamily] = useState<(typeof families)[number]>(4);
  const [own, other] = [portOf(port), portOf(remote)];
  const isReady = own !== undefined && (remote.trim() === '' || other !== undefined);
  const wrong = (typed: string, read: number | undefined) =>
    typed.trim() !== '' && read === undefined ? m.console_trace_port_wrong() : undefined;
  const ask = async (reason: string) => {
    const body = { family, protocol, port: own ?? 0, reason, ...(other === undefined ? {} : { remote_port: other }) };
    const { data } = await api.tracePort({ params: { id: node.id }, body }, { timeoutMs: WAIT_MS });
    onOutcome(data);
  };
  return (
    <ActDialog
      title={`${m.console_trace()} ${isolated(node.name)}`}
      effect={m.console_trace_effect()}
      button={m.console_trace_ask()}
      isReady={isReady}
      act={ask}
      onDone={() => undefined}
      onClose={onClose}
    >
      {(work) => (
        <>
          <Field
            label={m.console_trace_port()}
            hint={m.console_trace_port_hint()}
            error={work.fields.port ?? wrong(port, own)}
            inputMode="numeric"
            dir="ltr"
            autoComplete="off"
            value={port}
            onText={setPort}
          />
          <Choice label={m.console_trace_protocol()} options={protocols} value={protocol} onValue={setProtocol} />
          <Choice label={m.console_trace_family()} options={families} value={family} onValue={setFamily} />
          <Field
            label={m.console_trace_remote()}
            hint={m.console_trace_remote_hint()}
            error={work.fields.remote_port ?? wrong(remote, other)}
            inputMode="numeric"
            dir="ltr"
            autoComplete="off"
            value={remote}
            onText={setRemote}
          />
          {work.isBusy ? <p className="c-hint">{m.console_trace_waiting()}</p> : null}
        </>
      )}
    </ActDialog>
  );
}

function portOf(typed: string): number | undefined {
  const port = Number(foldDigits(typed).trim() || Number.NaN);
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? port : undefined;
}

const optionNames = { tcp: 'TCP', udp: 'UDP', 4: 'IPv4', 6: 'IPv6' } as const;

function Choice<const O extends keyof typeof optionNames>(props: {
  readonly label: string;
  readonly options: readonly O[];
  readonly value: O;
  readonly onValue: (value: O) => void;
}) {
  const { label, options, value, onValue } = props;
  const id = useId();
  return (
    <div className="c-field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className="c-input"
        value={String(value)}
        onChange={(event) => {
          const chosen = options.find((option) => String(option) === event.currentTarget.value);
          if (chosen !== undefined) onValue(chosen);
        }}
      >
        {options.map((option) => (
          <option key={option} value={String(option)}>
            {optionNames[option]}
          </option>
        ))}
      </select>
    </div>
  );
}
