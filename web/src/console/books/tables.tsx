import type { GatewayAccount, Payout } from '@raha/contract/admin/books.ts';
import { number, shortDay } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { StateMark } from '../mark.tsx';
import { gatewayName } from '../payments/words.ts';

/** What each gateway took in, paid out and still owes. */
export function GatewayTable({ gateways }: { gateways: readonly GatewayAccount[] }) {
  const columns = [
    m.console_gateway_credited(),
    m.console_gateway_back(),
    m.console_gateway_settled(),
    m.console_gateway_owed(),
    m.console_gateway_open(),
  ];
  return (
    <table className="c-table c-report">
      <Head first={m.console_gateway()} columns={columns} />
      <tbody>
        {gateways.map((row) => (
          <tr key={row.gateway}>
            <th scope="row">
              {gatewayName(row.gateway)}
              {row.difference === 0 ? null : (
                <span className="c-state">
                  <StateMark tone="act" />
                  {m.console_gateway_difference({ amount: number(row.difference) })}
                </span>
              )}
            </th>
            <Figures
              columns={columns}
              values={[row.credited, row.refunded + row.reversed, row.settled, row.owed, row.open]}
            />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The newest payouts, and what of them fits no payment. */
export function PayoutTable({ payouts }: { payouts: readonly Payout[] }) {
  if (payouts.length === 0) return <p className="c-note">{m.console_payouts_none()}</p>;
  const columns = [m.console_payout_bank(), m.console_payout_fee(), m.console_payout_lines(), m.console_payout_open()];
  return (
    <>
      <h2 className="c-head">{m.console_payouts()}</h2>
      <table className="c-table c-report">
        <Head first={m.console_payout()} columns={columns} />
        <tbody>
          {payouts.map((row) => (
            <tr key={`${row.gateway} ${row.payout}`}>
              <th scope="row">
                {gatewayName(row.gateway)} <bdi dir="ltr">{row.payout}</bdi>
                <small>{row.from === null || row.to === null ? '–' : spanOf(row.from, row.to)}</small>
              </th>
              <Figures columns={columns} values={[row.bank, row.fee, row.lines, row.open_lines]} />
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function spanOf(from: string, to: string): string {
  return from === to ? shortDay(from) : m.console_report_span({ from: shortDay(from), to: shortDay(to) });
}

function Head({ first, columns }: { first: string; columns: readonly string[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {columns.map((name) => (
          <th key={name} scope="col" className="c-number">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** On a phone the head of the table is for screen readers only, so each figure says what it is. */
function Figures({ columns, values }: { columns: readonly string[]; values: readonly number[] }) {
  return values.map((value, index) => (
    <td key={columns[index]} className="c-number">
      <span className="c-figure-label" aria-hidden="true">
        {columns[index]}
      </span>
      {number(value)}
    </td>
  ));
}
