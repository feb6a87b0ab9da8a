import { expect, test } from 'vitest';
import { type FirewallOptions, tableScript, textHash } from './table-script.ts';

const closed: FirewallOptions = {
  table: 'raha',
  interfaceNames: ['raha0', 'raha0ov'],
  uplinks: ['eth0'],
  markOf: (slot) => slot,
  services: { address4: '10.64.0.1', address6: 'fd72:6168:6100::1', hasResolver: true },
  newFlows: { allowsSmtp: false },
};

const rulesOf = (chain: string, options = closed) => {
  const head = `add rule inet raha ${chain} `;
  return tableScript(options, 'e1', [])
    .split('\n')
    .filter((line) => line.startsWith(head))
    .map((line) => line.slice(head.length));
};
const indexOf = (rules: readonly string[], part: string) => rules.findIndex((rule) => rule.includes(part));

test('what may begin is decided before anything is counted or passes for free, and established flows skip it', () => {
  const rules = rulesOf('raha_meter_up');
  const index = indexOf(rules, 'ct state != established jump raha_new_flow');
  expect(index).toBeGreaterThan(indexOf(rules, 'meta mark set @nh,160'));
  for (const later of ['raha_walled_garden_up', '@lease', '@up']) expect(indexOf(rules, later)).toBeGreaterThan(index);
  expect(rulesOf('raha_meter_down').join()).not.toContain('flow');
});

test('flows to the node itself count as well, before they are answered for free', () => {
  for (const chain of ['raha_dns', 'raha_portal']) {
    const rules = rulesOf(chain);
    const index = indexOf(rules, 'ct state new jump raha_flow_limits');
    expect(index).toBeGreaterThan(indexOf(rules, 'meta mark set'));
    expect(index).toBeLessThan(indexOf(rules, '@quota_exceeded'));
  }
});

test('the limits are per slot, and for the first packet of a flow', () => {
  expect(rulesOf('raha_flow_limits')).toEqual([
    'ct status confirmed return',
    'update @new_flows { meta mark limit rate over 100/second burst 1000 packets } counter drop',
    'add @open_flows { meta mark ct count over 4096 } counter drop',
  ]);
});

test('port 25 is closed unless the operator of the node opens it, and then the table is another one', () => {
  const open = { ...closed, newFlows: { allowsSmtp: true } };
  expect(rulesOf('raha_new_flow').filter((rule) => rule.startsWith('tcp dport 25 '))).toHaveLength(2);
  expect(rulesOf('raha_new_flow', open).join()).not.toContain('dport');
  expect(textHash(open)).not.toBe(textHash(closed));
});

test.each([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::1', '64:ff9b::/96', 'fc00::/7', 'fe80::/10', 'fec0::/10'],
])('%s is behind no device', (range) => {
  const [rule = ''] = rulesOf('raha_new_flow').filter((text) => text.startsWith(range.includes(':') ? 'ip6' : 'ip '));
  expect(rule).toMatch(new RegExp(`[ {]${range.replaceAll('.', '\\.')}[, ].*drop$`));
});
