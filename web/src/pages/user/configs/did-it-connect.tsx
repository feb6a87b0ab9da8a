import type { Transport } from '@raha/contract/protocols.ts';
import type { NetworkOperator } from '@raha/contract/public/reach.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { reachQuery } from '../../../api/queries.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';

interface DidItConnectProps {
  readonly transport: Transport;
  /** One of the server's other ports. */
  readonly port?: number | undefined;
}

/**
 * One question, whose answer counts for the operator's network. Behind a server of ours the request does not show the network, so it
 * is asked for.
 */
export function DidItConnect({ transport, port }: DidItConnectProps) {
  const { data } = useQuery(reachQuery);
  const [chosen, setChosen] = useState<number>();
  const [sending, setSending] = useState<boolean>();
  const [answer, setAnswer] = useState<boolean>();
  const [problem, setProblem] = useState<string>();
  if (!data || data.networks.length === 0) return null;
  const network = data.network?.id ?? chosen;
  const question = questionOf(transport, port);
  const send = async (connected: boolean) => {
    setSending(connected);
    setProblem(undefined);
    try {
      if (network) await api.answerReach({ body: { transport, port, connected, network } });
      setAnswer(connected);
    } catch (error) {
      setProblem(errorSentence(error));
    } finally {
      setSending(undefined);
    }
  };
  if (answer !== undefined) {
    return (
      <p role="status" className="mt-6 border-t border-line pt-4 text-sm font-medium">
        {answer ? m.reach_thanks() : m.reach_thanks_no()}
      </p>
    );
  }
  return (
    // Relative, as the choices of a file: what is hidden in it would otherwise make the dialog scroll.
    <fieldset className="relative mt-6 border-t border-line pt-4">
      <legend className="sr-only">{question}</legend>
      <p className="font-semibold" aria-hidden>
        {question}
      </p>
      <p className="text-sm text-text-2 mt-1">{m.reach_why()}</p>
      {!data.network && <Operators networks={data.networks} value={chosen} onChange={setChosen} />}
      <div className="flex flex-wrap gap-2 mt-3">
        {[true, false].map((connected) => (
          <Button
            key={String(connected)}
            className="btn btn-ghost btn-sm"
            busy={sending === connected}
            disabled={network === undefined}
            onClick={() => void send(connected)}
          >
            {connected ? m.reach_yes() : m.reach_no()}
          </Button>
        ))}
      </div>
      <FieldNote problem={problem} />
    </fieldset>
  );
}

function questionOf(transport: Transport, port: number | undefined): string {
  if (port !== undefined) return m.reach_question_port({ port: String(port) });
  // It stands in one dialog with the question of the usual file.
  if (transport === 'openconnect') return m.reach_question_openconnect();
  return transport === 'proxy' ? m.reach_question_proxy() : m.reach_question();
}

interface OperatorsProps {
  readonly networks: readonly NetworkOperator[];
  readonly value: number | undefined;
  onChange(network: number | undefined): void;
}

/** 0: one that is not in the list. Then there is nothing to count. */
function Operators({ networks, value, onChange }: OperatorsProps) {
  return (
    <label className="block mt-3 text-sm font-semibold text-text-2">
      {m.reach_operator()}
      <select
        className="input mt-1.5"
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : Number(currentTarget.value))}
      >
        <option value="">{m.reach_operator_choose()}</option>
        {networks.map(({ id, ...name }) => (
          <option key={id} value={id}>
            {name[currentLocale()]}
          </option>
        ))}
        <option value="0">{m.reach_operator_other()}</option>
      </select>
    </label>
  );
}
