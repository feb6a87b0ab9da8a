import type { LiveNode, NodeFigures } from '@raha/contract/admin/fleet.ts';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { overwriteGetLocale } from '../../text/generated/runtime.js';
import { FleetTable } from './fleet-table.tsx';

beforeAll(() => overwriteGetLocale(() => 'en'));
afterAll(() => overwriteGetLocale(() => 'fa'));

const GB = 1_000_000_000;

/** The words of each cell of the foot, and of each bar whether it warns, and its length in hundredths. */
function draw(servers: readonly (Partial<NodeFigures> & { readonly margin?: number | null })[]) {
  const nodes = servers.map(
    (_, index): LiveNode => ({
      id: `${index}`,
      name: `de-${index}`,
      country: 'DE',
      city: 'Berlin',
      protocols: [],
      status: 'active',
      online: true,
      seen_at: '2026-11-28T12:00:00.000Z',
      load: 0.5,
      ping_ms: 40,
      behind: 0,
      agent: '1.0.0',
      retires_at: null,
      troubles: [],
      suspicious: false,
    }),
  );
  const figures = servers.map(({ margin, ...figure }, index) => {
    const none = { id: `${index}`, connected: 0, configs: 0, leaving: 0, leased: 0, month: 0, cap: null, cost: null };
    return [`${index}`, { ...none, ...figure }] as const;
  });
  const margins = servers.map(({ margin = null }, index) => ({ name: `de-${index}`, charged: 0, cost: null, margin }));
  const html = renderToStaticMarkup(createElement(FleetTable, { nodes, figures: new Map(figures), margins }));
  const words = (part: string) => [...part.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => text(cell));
  const bars = [...html.matchAll(/data-near="(\w+)" width="([\d.]+)"/g)].map(([, near, width]) => [near, width]);
  const [, foot] = html.split('<tfoot>');
  return { foot: foot === undefined ? undefined : words(foot), bars };
}

const text = (html: string) =>
  html
    .replace(/<[^>]+>/g, ' ')
    // Marks of direction around a number.
    .replace(/\u200e/g, '')
    .replace(/\s+/g, ' ')
    .trim();

test('the foot has the sums of the servers, and says for how many there is no figure', () => {
  const { foot } = draw([
    { connected: 3, leased: 1000, month: 2 * GB, cost: 50_000, margin: -700 },
    { connected: 4, leased: 500, month: 1 * GB, cost: 20_000, margin: 200 },
    { connected: 1, margin: null },
  ]);
  expect(foot).toEqual(['Servers: 3', '8', '', '1,500', '3 GB', '70,000 Unknown: 1', '−500 Unknown: 1', '']);
});

test('where no server has a figure the sum is a dash; one server alone has no foot', () => {
  expect(draw([{}, {}]).foot).toEqual(['Servers: 2', '–', '', '–', '–', '–', '–', '']);
  expect(draw([{}]).foot).toBeUndefined();
});

test('the bar is the share of the cap, warns from four fifths of it, and ends at the whole', () => {
  const shares = [0.5, 0.79, 0.8, 1.3].map((share) => ({ cap: 100 * GB, month: share * 100 * GB }));
  expect(draw([...shares, { cap: null, month: GB }]).bars).toEqual([
    ['false', '50'],
    ['false', '79'],
    ['true', '80'],
    ['true', '100'],
  ]);
});
