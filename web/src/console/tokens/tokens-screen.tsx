import type { TokenLine } from '@raha/contract/admin/tokens.ts';
import { useState } from 'react';
import { now } from '../../api/clock.ts';
import { date, dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { LongWord } from '../long-word.tsx';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { CreateToken } from './create-token.tsx';
import { scopeNames } from './words.ts';

type Open = 'create' | { readonly revoke: TokenLine } | undefined;

/** Tokens by which programs of the operator make calls of the console. */
export function TokensScreen({ self }: ScreenProps) {
  const answer = useAnswer('tokens', async () => (await api.listTokens()).data.tokens);
  const { data: tokens, reload } = answer;
  const [open, setOpen] = useState<Open>();
  const [outcome, setOutcome] = useState('');
  const working = tokens?.filter(isWorking).length ?? 0;
  const close = () => setOpen(undefined);
  return (
    <>
      <Lead
        title={
          tokens
            ? working === 0
              ? m.console_tokens_none()
              : m.console_tokens_lead({ count: number(working) })
            : m.console_tokens()
        }
        text={m.console_tokens_text()}
      >
        <button type="button" className="c-button c-main" onClick={() => setOpen('create')}>
          {m.console_token_create()}
        </button>
      </Lead>
      <Reading of={answer} outcome={outcome} />
      {tokens && tokens.length > 0 ? (
        <TokenTable tokens={tokens} onRevoke={(token) => setOpen({ revoke: token })} />
      ) : null}
      {open === 'create' ? <CreateToken role={self.role} onMade={reload} onClose={close} /> : null}
      {typeof open === 'object' ? (
        <ActDialog
          title={m.console_token_revoke()}
          effect={m.console_token_revoke_text({ name: `\u2068${open.revoke.name}\u2069` })}
          button={m.console_token_revoke()}
          look="c-final"
          act={(reason) => api.revokeToken({ params: { id: open.revoke.id }, body: { reason } })}
          onDone={() => {
            close();
            setOutcome(m.console_token_revoked());
            reload();
          }}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function isWorking({ revoked_at, expires_at }: TokenLine): boolean {
  return revoked_at === null && Date.parse(expires_at) > now();
}

function TokenTable({ tokens, onRevoke }: { tokens: readonly TokenLine[]; onRevoke: (token: TokenLine) => void }) {
  return (
    <table className="c-table">
      <thead>
        <tr>
          <th scope="col">{m.console_token_name()}</th>
          <th scope="col">{m.console_token_scopes()}</th>
          <th scope="col">{m.console_token_used()}</th>
          <th scope="col">{m.console_token_ends()}</th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id} className={isWorking(token) ? '' : 'c-quiet'}>
            <td>
              {token.name}
              <small>
                <LongWord word={token.member} />
              </small>
            </td>
            <td>{token.scopes.map((scope) => scopeNames[scope]()).join(m.console_today_and())}</td>
            <td>{token.last_used_at === null ? m.console_token_never() : dateTime(token.last_used_at)}</td>
            <td>
              {token.revoked_at === null
                ? m.console_token_until({ date: date(token.expires_at) })
                : m.console_token_was_revoked()}
              {isWorking(token) ? (
                <div className="c-buttons">
                  <button
                    type="button"
                    className="c-link"
                    aria-label={m.console_token_revoke_of({ name: token.name })}
                    onClick={() => onRevoke(token)}
                  >
                    {m.console_token_revoke()}
                  </button>
                </div>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
