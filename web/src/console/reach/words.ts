import type { ReachShare, ReachSpan } from '@raha/contract/admin/reach.ts';
import type { Transport } from '@raha/contract/protocols.ts';
import type { NetworkOperator } from '@raha/contract/public/reach.ts';
import { now } from '../../api/clock.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { currentLocale } from '../../text/locale.ts';
import { relativeTime } from '../../text/relative-time.ts';

export const transportNames: Readonly<Record<Transport, string>> = {
  wireguard: 'WireGuard',
  openvpn: 'OpenVPN',
  openvpn_tcp: 'OpenVPN TCP',
  ikev2: 'IKEv2',
  openconnect: 'OpenConnect',
  proxy: 'VLESS',
};

export const spanNames: Readonly<Record<ReachSpan, () => string>> = {
  hour: m.console_reach_hour,
  day: m.console_reach_day,
  week: m.console_reach_week,
};

/** Below this a way is worth a look: most of those who try it do not get through. */
export const POOR = 50;

export function percentOf({ percent }: ReachShare): string {
  return m.console_percent({ value: number(percent) });
}

/** From how many attempts or answers, and how old. */
export function basisOf({ of, source, at }: ReachShare): string {
  const values = { count: number(of), ago: relativeTime(at, now()) };
  return source === 'servers' ? m.console_reach_attempts(values) : m.console_reach_answers(values);
}

export function nameOf(network: NetworkOperator): string {
  return network[currentLocale()];
}
