import type { NodeFacts } from '@raha/contract/admin/fleet.ts';
import { foldDigits } from '@raha/contract/persian.ts';
import { useId, useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { isolated } from '../people/words.ts';

type Act = 'drain' | 'activate' | 'retire' | 'revoke';

const possible: Readonly<Record<NodeFacts['status'], readonly Act[]>> = {
  active: ['drain', 'retire', 'revoke'],
  draining: ['activate', 'retire', 'revoke'],
  retired: ['activate', 'retire', 'revoke'],
  inactive: ['activate', 'revoke'],
  revoked: [],
};

const names: Readonly<Record<Act, () => string>> = {
  drain: m.console_node_drain,
  activate: m.console_node_activate,
  retire: m.console_node_retire,
  revoke: m.console_node_revoke,
};

interface Props {
  readonly node: NodeFacts;
  onDone(sentence: string): void;
}

/** What may be done with a server as it is: buttons for the row of acts. */
export function NodeActs({ node, onDone }: Props) {
  const [open, setOpen] = useState<Act>();
  const close = () => setOpen(undefined);
  const dialog = {
    node,
    onDone: (sentence: string) => {
      close();
      onDone(sentence);
    },
    onClose: close,
  };
  return (
    <>
      {possible[node.status].map((act) => (
        <button key={act} type="button" className="c-button" onClick={() => setOpen(act)}>
          {names[act]()}
        </button>
      ))}
      {open === 'drain' || open === 'activate' ? <Simple act={open} {...dialog} /> : null}
      {open === 'retire' ? <Retire {...dialog} /> : null}
      {open === 'revoke' ? <Revoke {...dialog} /> : null}
    </>
  );
}

interface DialogProps extends Props {
  onClose(): void;
}

function Simple({ act, node, onDone, onClose }: DialogProps & { act: 'drain' | 'activate' }) {
  const params = { id: node.id };
  const isDrain = act === 'drain';
  return (
    <ActDialog
      title={m.console_node_act({ act: names[act](), name: isolated(node.name) })}
      effect={isDrain ? m.console_node_drain_effect() : m.console_node_activate_effect()}
      button={names[act]()}
      act={(reason) =>
        isDrain ? api.drainNode({ params, body: { reason } }) : api.activateNode({ params, body: { reason } })
      }
      onDone={() => onDone(isDrain ? m.console_node_drained() : m.console_node_activated())}
      onClose={onClose}
    />
  );
}

/** Where the configs move: the best server there is, or a given one. */
function Target({ node, value, onValue }: { node: NodeFacts; value: string; onValue: (id: string) => void }) {
  const id = useId();
  return (
    <div className="c-field">
      <label htmlFor={id}>{m.console_node_to()}</label>
      <select id={id} className="c-input" value={value} onChange={(event) => onValue(event.currentTarget.value)}>
        <option value="">{m.console_node_to_best()}</option>
        {node.targets.map((target) => (
          <option key={target.id} value={target.id}>
            {target.name}
          </option>
        ))}
      </select>
    </div>
  );
}

const MOST_DAYS = 90;

function Retire({ node, onDone, onClose }: DialogProps) {
  const [to, setTo] = useState('');
  const [typed, setTyped] = useState('7');
  const days = Number(foldDigits(typed).trim() || Number.NaN);
  const isReady = Number.isInteger(days) && days >= 0 && days <= MOST_DAYS;
  const { users, configs } = node.leave;
  return (
    <ActDialog
      title={m.console_node_act({ act: names.retire(), name: isolated(node.name) })}
      effect={`${m.console_node_retire_effect({ users: number(users), configs: number(configs) })} ${targetsText(node)}`}
      button={names.retire()}
      isReady={isReady}
      act={(reason) =>
        api.retireNode({ params: { id: node.id }, body: { days, reason, ...(to === '' ? {} : { to }) } })
      }
      onDone={() => onDone(m.console_node_retire_done())}
      onClose={onClose}
    >
      {(work) => (
        <>
          <Target node={node} value={to} onValue={setTo} />
          <Field
            label={m.console_node_days()}
            hint={m.console_node_days_hint()}
            error={work.fields.days ?? (isReady ? undefined : m.console_node_days_wrong())}
            inputMode="numeric"
            dir="ltr"
            autoComplete="off"
            value={typed}
            onText={setTyped}
          />
        </>
      )}
    </ActDialog>
  );
}

function targetsText({ targets }: NodeFacts): string {
  return targets.length === 0 ? m.console_node_no_target() : m.console_node_targets({ count: number(targets.length) });
}

/** Final: what it does is shown in numbers, and the name has to be typed. */
function Revoke({ node, onDone, onClose }: DialogProps) {
  const [to, setTo] = useState('');
  const [name, setName] = useState('');
  const { users, configs } = node.leave;
  const effects = [
    m.console_node_revoke_effect(),
    m.console_node_retire_effect({ users: number(users), configs: number(configs) }),
    m.console_node_revoke_money({ amount: number(node.figures.leased) }),
    targetsText(node),
  ];
  return (
    <ActDialog
      title={m.console_node_act({ act: names.revoke(), name: isolated(node.name) })}
      effect={effects.join(' ')}
      button={names.revoke()}
      look="c-final"
      isReady={name.trim() === node.name}
      act={(reason) =>
        api.revokeNode({ params: { id: node.id }, body: { name: name.trim(), reason, ...(to === '' ? {} : { to }) } })
      }
      onDone={() => onDone(m.console_node_revoke_done())}
      onClose={onClose}
    >
      {() => (
        <>
          <Target node={node} value={to} onValue={setTo} />
          <Field
            label={m.console_node_type_name({ name: isolated(node.name) })}
            dir="ltr"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={name}
            onText={setName}
          />
        </>
      )}
    </ActDialog>
  );
}
