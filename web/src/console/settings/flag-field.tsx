import { staffRoles } from '@raha/contract/admin/roles.ts';
import { useId } from 'react';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Field } from '../field.tsx';
import { useAnswer } from '../use-answer.ts';
import { roleNames } from '../words.ts';
import { type FlagDraft, readFlagDraft, readUntil } from './flag-words.ts';

interface Props {
  readonly draft: FlagDraft;
  onDraft(draft: FlagDraft): void;
}

const shares = { on: m.console_flag_for_all, some: m.console_flag_for_some, off: m.console_flag_for_nobody } as const;

/** For whom a flag is on, who looks after it, and by which day it is to be gone. */
export function FlagField({ draft, onDraft }: Props) {
  const isSome = draft.share === 'some';
  const isWrongShare = isSome && readFlagDraft({ ...draft, day: '2027-01-01' }) === undefined;
  return (
    <>
      <fieldset className="c-pick">
        <legend>{m.console_flag_share()}</legend>
        {(['on', 'some', 'off'] as const).map((share) => (
          <label key={share}>
            <input
              type="radio"
              name="share"
              checked={draft.share === share}
              onChange={() => onDraft({ ...draft, share })}
            />
            {shares[share]()}
          </label>
        ))}
      </fieldset>
      {isSome ? (
        <Field
          label={m.console_flag_per_cent()}
          hint={m.console_flag_stay()}
          error={isWrongShare ? m.console_flag_per_cent_wrong() : undefined}
          inputMode="numeric"
          dir="ltr"
          autoComplete="off"
          value={draft.percent}
          onText={(percent) => onDraft({ ...draft, percent })}
        />
      ) : null}
      <Owner draft={draft} onDraft={onDraft} />
      <Field
        label={m.console_flag_until()}
        hint={m.console_flag_until_hint()}
        error={readUntil(draft.day) === undefined ? m.console_flag_no_day() : undefined}
        dir="ltr"
        autoComplete="off"
        value={draft.day}
        onText={(day) => onDraft({ ...draft, day })}
      />
    </>
  );
}

/** A role, or somebody who works here. Until they are read, the one that it has. */
function Owner({ draft, onDraft }: Props) {
  const id = useId();
  const { data } = useAnswer('owners', async () => (await api.listStaff()).data.members);
  const known = data?.filter(({ active }) => active).map(({ id: member, email }) => ({ id: member, email })) ?? [];
  const isListed = staffRoles.some((role) => role === draft.owner) || known.some((member) => member.id === draft.owner);
  const members = isListed ? known : [...known, { id: draft.owner, email: draft.email ?? m.console_flag_member() }];
  return (
    <div className="c-field">
      <label htmlFor={id}>{m.console_flag_owner()}</label>
      <select
        id={id}
        className="c-input"
        value={draft.owner}
        onChange={(event) => {
          const owner = event.currentTarget.value;
          onDraft({ ...draft, owner, email: members.find((member) => member.id === owner)?.email ?? null });
        }}
      >
        {staffRoles.map((role) => (
          <option key={role} value={role}>
            {roleNames[role]()}
          </option>
        ))}
        {members.map((member) => (
          <option key={member.id} value={member.id}>
            {member.email}
          </option>
        ))}
      </select>
    </div>
  );
}
