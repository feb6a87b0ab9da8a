import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';

test('samples are off unless asked for, and refused in production, also for a demonstration', () => {
  expect(readConfig({}).sampleData).toBe(false);
  expect(readConfig({ SAMPLE_DATA: 'on' }).sampleData).toBe(true);
  for (const DEMO of ['on', 'off'])
    expect(() => readConfig({ NODE_ENV: 'production', SAMPLE_DATA: 'on', DEMO })).toThrow(ConfigError);
});
