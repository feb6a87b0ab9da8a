import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { type TokenScope, tokenScopes } from '@raha/contract/admin/tokens.ts';
import { useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { useProof } from '../proof.tsx';
import { useWork } from '../use-work.ts';
import { scopeNames } from './words.ts';

const DAYS = [7, 30, 90, 365] as const;

interface Props {
  readonly role: StaffRole;
  onMade(): void;
  onClose(): void;
}

/** A form, and then the token, which is shown this once. */
export function CreateToken({ role, onMade, onClose }: Props) {
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly TokenScope[]>([]);
  const [days, setDays] = useState<number>(30);
  const [token, setToken] = useState<string>();
  const work = useWork();
  const withProof = useProof();
  if (token !== undefined) return <Made token={token} onClose={onClose} />;
  const create = async () => {
    const isDone = await withProof(async () => {
      setToken((await api.createToken({ body: { name: name.trim(), scopes: [...scopes], days } })).data.token);
    });
    if (isDone) onMade();
  };
  const choose = (scope: TokenScope, isChosen: boolean) =>
    setScopes(isChosen ? [...scopes, scope] : scopes.filter((known) => known !== scope));
  return (
    <FormDialog
      title={m.console_token_create()}
      button={m.console_token_create()}
      work={work}
      isReady={name.trim() !== '' && scopes.length > 0}
      onSubmit={create}
      onClose={onClose}
    >
      <Field
        label={m.console_token_name()}
        hint={m.console_token_name_hint()}
        error={work.fields.name}
        autoComplete="off"
        maxLength={60}
        value={name}
        onText={setName}
      />
      <fieldset className="c-field c-scopes">
        <legend>{m.console_token_scopes()}</legend>
        {tokenScopes
          .filter((scope) => isPermitted(role, scope))
          .map((scope) => (
            <label key={scope} className="c-check">
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={(event) => choose(scope, event.currentTarget.checked)}
              />
              {scopeNames[scope]()}
            </label>
          ))}
      </fieldset>
      <fieldset className="c-field c-scopes">
        <legend>{m.console_token_days()}</legend>
        {DAYS.map((known) => (
          <label key={known} className="c-check">
            <input type="radio" name="days" checked={days === known} onChange={() => setDays(known)} />
            {m.console_token_for_days({ count: number(known) })}
          </label>
        ))}
      </fieldset>
      <p className="c-effect">{m.console_token_create_text()}</p>
    </FormDialog>
  );
}

function Made({ token, onClose }: { token: string; onClose: () => void }) {
  const [isCopied, setCopied] = useState(false);
  return (
    <Dialog title={m.console_token_made()} onClose={onClose}>
      <div className="c-form">
        <p>{m.console_token_made_text()}</p>
        <p>
          <code dir="ltr" className="c-token">
            {token}
          </code>
        </p>
        <p className="c-outcome" role="status">
          {isCopied ? m.console_token_copied() : ''}
        </p>
        <div className="c-buttons">
          <button
            type="button"
            className="c-button c-main"
            onClick={() =>
              void navigator.clipboard.writeText(token).then(
                () => setCopied(true),
                () => setCopied(false),
              )
            }
          >
            {m.console_token_copy()}
          </button>
          <button type="button" className="c-button" onClick={onClose}>
            {m.console_token_close()}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
