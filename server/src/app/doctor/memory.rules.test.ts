import { expect, test } from 'vitest';
import { adviseMemory } from './memory.ts';

const GB = 2 ** 30;

test('a database ten times as large as the memory for its pages gets advice', () => {
  expect(adviseMemory({ databaseBytes: 12.8 * GB, bufferBytes: GB / 8 })).toEqual([
    {
      level: 'warning',
      sentence: expect.stringMatching(/^The database has 12\.8 GB, .* keeps 0\.1 GB .* shared_buffers/),
    },
  ]);
});

test('one that fits, or nearly, gets none', () => {
  expect(adviseMemory({ databaseBytes: GB, bufferBytes: GB / 8 })).toEqual([]);
  expect(adviseMemory({ databaseBytes: 12.8 * GB, bufferBytes: 3 * GB })).toEqual([]);
});
