import { staffLimits } from '@raha/contract/admin/limits.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { m } from '../text/generated/messages.js';
import { api } from './api.ts';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { Field } from './field.tsx';
import { goTo } from './path.ts';
import { shownName } from './people/words.ts';
import type { ScreenProps } from './screen-props.ts';
import { useAnswer } from './use-answer.ts';

interface Target {
  readonly to: string;
  readonly name: string;
  /** What tells it from others of the same name. */
  readonly note?: string;
}

interface Props extends Pick<ScreenProps, 'self'> {
  readonly screens: readonly Target[];
  onClose(): void;
}

/** How long typing rests before people are searched. */
const REST_MS = 250;
const MOST = 8;

/** Everything that has an address, by a part of its name. What is typed is kept nowhere. */
export function Palette({ self, screens, onClose }: Props) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const typed = text.trim();
  const { groups, isComplete, error, retry } = useGroups(self.role, screens, typed);
  const targets = groups.flatMap((group) => group.targets);
  const chosen = targets[Math.min(at, targets.length - 1)];
  const open = ({ to }: Target) => {
    onClose();
    goTo(to);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && chosen) open(chosen);
    else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, targets.length - 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else return;
    event.preventDefault();
  };
  const optionId = (target: Target) => `${id}-${target.to}`;
  return (
    <Dialog title={m.console_palette()} onClose={onClose}>
      <Field
        label={m.console_palette_field()}
        hint={m.console_palette_hint()}
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={chosen ? optionId(chosen) : undefined}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onText={(next) => {
          setText(next);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="c-palette" role="listbox" id={id} aria-label={m.console_palette()}>
        {groups.map(({ name, targets: found }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
          <div key={name} role="group" aria-label={name}>
            <p aria-hidden="true">{name}</p>
            {found.map((target) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
              <div
                key={target.to}
                id={optionId(target)}
                role="option"
                tabIndex={-1}
                aria-selected={target === chosen}
                onClick={() => open(target)}
              >
                <bdi>{target.name}</bdi>
                {target.note === undefined ? null : (
                  <small>
                    <bdi dir="ltr">{target.note}</bdi>
                  </small>
                )}
              </div>
            ))}
          </div>
        ))}
      </div>
      {error ? <Failure error={error} onRetry={retry} /> : null}
      <p className="c-note" role="status">
        {isComplete && targets.length === 0 ? m.console_palette_none() : ''}
      </p>
    </Dialog>
  );
}

/** Only what the role may open. */
function useGroups(role: Props['self']['role'], screens: readonly Target[], typed: string) {
  const asked = useRested(typed);
  const mayFind = isPermitted(role, 'people.read') && asked.length >= staffLimits.people.query.min;
  const people = useAnswer(mayFind ? `palette ${asked}` : 'palette', async () =>
    mayFind ? (await api.searchPeople({ body: { text: asked } })).data.people : [],
  );
  const nodes = useAnswer('palette nodes', async () =>
    isPermitted(role, 'fleet.read') ? (await api.listLiveNodes()).data.nodes : [],
  );
  const settings = useAnswer('palette settings', async () =>
    isPermitted(role, 'settings.read') ? (await api.listSettings()).data.settings : [],
  );
  const has = (name: string) => name.toLowerCase().includes(typed.toLowerCase());
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(typed);
  const found: readonly Target[] = (mayFind && asked === typed && !people.isLoading ? (people.data ?? []) : []).map(
    (user) => ({
      to: `/admin/people/${user.id}`,
      name: shownName(user),
      note: user.phone === null ? user.email : `${user.email} · ${user.phone}`,
    }),
  );
  const servers = typed === '' ? [] : (nodes.data ?? []).filter(({ name }) => has(name));
  const payment =
    isId && isPermitted(role, 'payments.read')
      ? [{ to: `/admin/payments/${typed}`, name: m.console_payments(), note: typed }]
      : [];
  const groups: readonly { readonly name: string; readonly targets: readonly Target[] }[] = [
    { name: m.console_people(), targets: found.slice(0, MOST) },
    { name: m.console_payments(), targets: payment },
    {
      name: m.console_fleet(),
      targets: servers.slice(0, MOST).map(({ id, name }) => ({ to: `/admin/nodes/${id}`, name })),
    },
    {
      name: m.console_settings(),
      targets: (typed === '' ? [] : (settings.data ?? []).filter(({ key }) => has(key)))
        .slice(0, MOST)
        .map(({ key }) => ({ to: `/admin/settings/${key}`, name: key })),
    },
    { name: m.console_sections(), targets: screens.filter(({ name }) => has(name)) },
  ].filter(({ targets }) => targets.length > 0);
  const answers = [people, nodes, settings];
  const failed = answers.find(({ error }) => error);
  const isComplete = asked === typed && !failed && !answers.some(({ isLoading }) => isLoading);
  return { groups, isComplete, error: failed?.error, retry: () => failed?.reload() };
}

/** The text, once nothing was typed for a moment. */
function useRested(text: string): string {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
}
