import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('samples are off by default, and refused in production and in a demonstration', () => {
  expect(readConfig({}).sampleData).toBe(false);
  expect(readConfig({ SAMPLE_DATA: 'on' }).sampleData).toBe(true);
  for (const DEMO of ['on', 'off'])
    expect(readConfig({ NODE_ENV: 'production', SAMPLE_DATA: 'on', DEMO }).unmetNeeds).toContainEqual(
      expect.stringMatching(/^SAMPLE_DATA/),
    );
});

test.each([
  ['SAMPLE_DATA', '1', /SAMPLE_DATA .*"on"\|"off"/],
  ['LOCAL_NODE', 'yes', /LOCAL_NODE .*"auto"\|"on"\|"off"/],
  ['PORT', 'eighty', /PORT .*number/],
  ['PORT', '70000', /PORT .*65535/],
  ['MASTER_KEY', 'short', /MASTER_KEY .*32 characters/],
  ['PUBLIC_URL', 'raha.example', /PUBLIC_URL .*URL/],
  ['OPERATOR_EMAIL', 'somebody', /OPERATOR_EMAIL .*email/],
  ['TRUST_PROXY', '10.0.0.0/33', /TRUST_PROXY takes networks/],
  ['TRUST_PROXY', 'proxy.example', /TRUST_PROXY takes networks/],
])('%s=%s is refused with what is wanted, and without what was given', (name, value, sentence) => {
  const reading = () => readConfig({ [name]: value });
  expect(reading).toThrow(sentence);
  expect(reading).not.toThrow(value);
});
