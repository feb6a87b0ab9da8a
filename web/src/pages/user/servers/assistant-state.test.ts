import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DemoEvent, type DemoState, decideDemo, initialDemo } from './assistant-state.ts';

const after = (...events: DemoEvent[]): DemoState => events.reduce(decideDemo, initialDemo);
const analyse: DemoEvent = { type: 'analyse', priority: 'security', usage: 'gaming' };

describe('ARIA in steps', () => {
  test.each<[string, DemoEvent[], Partial<DemoState>]>([
    ['begins with preferences', [], { step: 0, connection: 'disconnected', selected: undefined }],
    ['thinks about them', [analyse], { step: 1, analysing: true, priority: 'security', usage: 'gaming' }],
    ['then suggests', [analyse, { type: 'analysed' }], { step: 1, analysing: false }],
    ['connects to what is chosen', [analyse, { type: 'select', key: 'a' }], { step: 1, connection: 'connecting' }],
    [
      'ignores a choice while connecting',
      [analyse, { type: 'select', key: 'a' }, { type: 'select', key: 'b' }],
      { selected: 'a' },
    ],
    [
      'is at its end when connected',
      [analyse, { type: 'select', key: 'a' }, { type: 'connected' }],
      { step: 2, connection: 'connected', selected: 'a' },
    ],
    ['connects from the map alone, too', [{ type: 'select', key: 'a' }, { type: 'connected' }], { step: 0 }],
    [
      'may change the place once connected',
      [{ type: 'select', key: 'a' }, { type: 'connected' }, { type: 'select', key: 'b' }],
      { selected: 'b', connection: 'connecting' },
    ],
    [
      'forgets the place with the connection',
      [analyse, { type: 'select', key: 'a' }, { type: 'connected' }, { type: 'disconnect' }],
      { selected: undefined, connection: 'disconnected', step: 1 },
    ],
    [
      'does not connect after a disconnection',
      [{ type: 'select', key: 'a' }, { type: 'disconnect' }, { type: 'connected' }],
      { connection: 'disconnected' },
    ],
    [
      'begins again with the preferences as they were',
      [analyse, { type: 'select', key: 'a' }, { type: 'connected' }, { type: 'restart' }],
      { step: 0, selected: undefined, connection: 'disconnected', priority: 'security' },
    ],
  ])('%s', (_name, events, state) => expect(after(...events)).toMatchObject(state));

  test('whatever is pressed: something is selected exactly while there is or comes a connection', () => {
    const event: fc.Arbitrary<DemoEvent> = fc.oneof(
      fc.constant(analyse),
      ...(['analysed', 'connected', 'disconnect', 'restart'] as const).map((type) => fc.constant<DemoEvent>({ type })),
      fc.constantFrom('a', 'b').map((key): DemoEvent => ({ type: 'select', key })),
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const state = after(...events);
        expect(state.selected === undefined).toBe(state.connection === 'disconnected');
      }),
    );
  });
});
