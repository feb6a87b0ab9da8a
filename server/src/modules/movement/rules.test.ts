import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Count, decideBlocks, type EntryCell, type EntryState, keyOf, SLOTS } from './rules.ts';

const MCI = 197_207;
const entry = (nodeId: string, relayId: string | null, more: Partial<EntryState> = {}): EntryState => ({
  ...{ nodeId, relayId, isUp: true, isOut: false, isOutByRule: false },
  ...more,
});
const steady = (attempts: number, through: number): Count[] =>
  Array.from({ length: SLOTS }, () => ({ attempts, through }));
const cell = (of: EntryState, slots: readonly Count[], more: Partial<EntryCell> = {}): EntryCell => ({
  ...{ nodeId: of.nodeId, relayId: of.relayId, network: of.relayId === null ? MCI : 0, transport: 'wireguard', slots },
  ...more,
});
/** A relay before each of two servers. */
const [a, ra, b, rb] = [entry('a', null), entry('a', 'r'), entry('b', null), entry('b', 's')] as const;
const all = [a, ra, b, rb];
const good = steady(40, 38);
const blocked = (cells: readonly EntryCell[], entries = all, isOn = true) =>
  decideBlocks(entries, cells, isOn).block.map(keyOf);

test('an entry whose answers stay away, while the same transport works elsewhere', () => {
  const { block } = decideBlocks(all, [cell(a, steady(40, 2)), cell(b, good)], true);
  expect(block).toEqual([
    {
      ...{ nodeId: 'a', relayId: null },
      evidence: { network: MCI, transport: 'wireguard', kind: 'unanswered', percent: 5, of: 120, elsewhere: 95 },
    },
  ]);
});

test('an entry to which nothing comes any more, while the others are as busy as before', () => {
  const falls = [...good.slice(4), ...steady(0, 0)].slice(0, SLOTS - 4);
  const silent = [...falls, ...steady(0, 0).slice(0, 4)];
  expect(blocked([cell(ra, silent), cell(rb, good)])).toEqual(['a r']);
  // A night falls everywhere.
  expect(blocked([cell(ra, silent), cell(rb, silent)])).toEqual([]);
  // One rush, as after a restart, makes nothing usual.
  const rush = [...steady(2, 2).slice(0, 3), { attempts: 900, through: 900 }, ...steady(2, 2).slice(0, 6)];
  expect(blocked([cell(ra, rush), cell(rb, good)])).toEqual([]);
});

test('what is blocked everywhere on a network, what was so for ten minutes only, and what few tried, stays', () => {
  const bad = steady(40, 2);
  expect(blocked([cell(a, bad), cell(b, bad)])).toEqual([]);
  expect(blocked([cell(a, bad), cell(b, good, { network: 44_244 })])).toEqual([]);
  expect(blocked([cell(a, bad), cell(b, good, { transport: 'ikev2' })])).toEqual([]);
  expect(blocked([cell(a, steady(16, 0)), cell(b, good)])).toEqual([]);
  const sudden = [...good.slice(0, SLOTS - 1), { attempts: 900, through: 0 }];
  expect(blocked([cell(a, sudden), cell(b, good)])).toEqual([]);
});

test('a relay shows no network: one transport that works through it spares it', () => {
  const cells = [cell(ra, steady(40, 2)), cell(rb, good)];
  expect(blocked(cells)).toEqual(['a r']);
  expect(blocked([...cells, cell(ra, good, { transport: 'openvpn_tcp' })])).toEqual([]);
});

test('what is away is compared with nobody and taken out by nobody; off, the rule only says what it sees', () => {
  const cells = [cell(a, steady(40, 2)), cell(b, good)];
  expect(blocked(cells, [{ ...a, isUp: false }, ra, b, rb])).toEqual([]);
  expect(blocked(cells, [a, ra, { ...b, isUp: false }, rb])).toEqual([]);
  const { block, keep } = decideBlocks(all, cells, false);
  expect([block, keep.map(({ kept }) => kept)]).toEqual([[], ['off']]);
});

test('the last open entry of a server stays, and so does what is beyond a quarter of all', () => {
  const cells = [cell(a, steady(40, 2)), cell(b, good)];
  const alone = decideBlocks([a, { ...ra, isOut: true }, b, rb], cells, true);
  expect([alone.block, alone.keep.map(({ kept }) => kept)]).toEqual([[], ['last']]);
  const used = decideBlocks([a, ra, b, { ...rb, isOut: true, isOutByRule: true }], cells, true);
  expect([used.block, used.keep.map(({ kept }) => kept)]).toEqual([[], ['share']]);
});

test('of any counts: the bounds hold, nobody is judged by less than fifty, and the order of what is known changes nothing', () => {
  const counts = fc
    .record({ attempts: fc.integer({ min: 0, max: 60 }), share: fc.integer({ min: 0, max: 100 }) })
    .map(({ attempts, share }) => ({ attempts, through: Math.floor((attempts * share) / 100) }));
  // Shares that stay are what makes entries suspects.
  const slots = fc.oneof(
    fc.array(counts, { minLength: SLOTS, maxLength: SLOTS }),
    counts.map(({ attempts, through }) => steady(attempts, through)),
    fc.constantFrom(steady(40, 1), good),
  );
  const entries = fc
    .array(
      fc.record({
        relays: fc.integer({ min: 0, max: 3 }),
        seed: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 4, maxLength: 4 }),
      }),
      {
        minLength: 1,
        maxLength: 5,
      },
    )
    .map((nodes) =>
      nodes.flatMap(({ relays, seed }, index) =>
        [null, ...['x', 'y', 'z'].slice(0, relays)].map((relay, nth) => {
          const [isUp, isOut] = [(seed[nth] ?? 0) !== 0, (seed[nth] ?? 0) > 7];
          return entry(`n${index}`, relay && `${index}${relay}`, {
            isUp,
            isOut,
            isOutByRule: isOut && seed[nth] === 9,
          });
        }),
      ),
    );
  const scene = entries.chain((known) =>
    fc
      .array(
        fc.tuple(fc.constantFrom(...known), slots, fc.constantFrom('wireguard' as const, 'openvpn_tcp' as const)),
        {
          maxLength: 24,
        },
      )
      .map((made) => {
        const unique = new Map(
          made.map(([of, own, transport]) => [`${keyOf(of)} ${transport}`, cell(of, own, { transport })]),
        );
        return { known, cells: [...unique.values()] };
      }),
  );
  let blocks = 0;
  fc.assert(
    fc.property(scene, fc.boolean(), ({ known, cells }, isOn) => {
      const { block, keep } = decideBlocks(known, cells, isOn);
      blocks += block.length;
      const open = known.filter(({ isUp, isOut }) => isUp && !isOut);
      const out = new Set(block.map(keyOf));
      expect(out.size).toBe(block.length);
      for (const one of [...block, ...keep]) {
        expect(open.map(keyOf)).toContain(keyOf(one));
        const own = cells.filter((each) => keyOf(each) === keyOf(one));
        const most = Math.max(...own.map((each) => each.slots.reduce((sum, { attempts }) => sum + attempts, 0)));
        expect(most).toBeGreaterThanOrEqual(50);
        expect(one.evidence.elsewhere).toBeGreaterThan(one.evidence.percent);
      }
      for (const nodeId of new Set(block.map((one) => one.nodeId))) {
        const own = open.filter((one) => one.nodeId === nodeId);
        expect(own.filter((one) => !out.has(keyOf(one))).length).toBeGreaterThan(0);
      }
      const before = known.filter(({ isOutByRule }) => isOutByRule).length;
      if (block.length > 0)
        expect(before + block.length).toBeLessThanOrEqual(Math.max(1, Math.floor(known.length / 4)));
      if (!isOn) expect(block).toEqual([]);
      const turned = decideBlocks(known.toReversed(), cells.toReversed(), isOn);
      expect(turned.block.map(keyOf).sort()).toEqual(block.map(keyOf).sort());
    }),
    { numRuns: 2_000 },
  );
  expect(blocks).toBeGreaterThan(50);
});
