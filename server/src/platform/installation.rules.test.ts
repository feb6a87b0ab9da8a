import { describe, expect, test } from 'vitest';
import { type InstallationFacts, installationOf, isLoopbackHost, unmetNeeds } from './installation.ts';

const facts: InstallationFacts = {
  environment: 'development',
  demo: false,
  publicUrl: 'https://raha.example',
  smtpUrl: 'smtps://user:hunter2@mail.example:465',
  masterKeyGiven: true,
  databaseUrl: undefined,
  poolUrl: undefined,
  sampleData: false,
  serviceUrls: {},
  gatewayKeys: {},
};

describe('S1 the kind of an installation follows from its public address', () => {
  test.each([
    ['http://127.0.0.1:3000', 'workshop'],
    ['http://127.8.9.1:3000', 'workshop'],
    ['http://localhost:3000', 'workshop'],
    ['http://[::1]:3000', 'workshop'],
    ['https://raha.example', 'production'],
    ['http://raha.example', 'production'],
    ['http://192.168.1.4:3000', 'production'],
    ['http://127.0.0.1.example.com', 'production'],
    ['http://localhost.example.com', 'production'],
    ['http://0.0.0.0:3000', 'production'],
  ] as const)('%s is a %s', (publicUrl, kind) => {
    expect(installationOf({ ...facts, publicUrl })).toBe(kind);
  });

  test('NODE_ENV=production makes a loopback address production; DEMO=on makes any address a demonstration', () => {
    const publicUrl = 'http://127.0.0.1:3000';
    expect(installationOf({ ...facts, publicUrl, environment: 'production' })).toBe('production');
    expect(installationOf({ ...facts, demo: true })).toBe('demonstration');
  });
});

describe('S1 production starts only with all that it needs, and names what is missing', () => {
  test('nothing is missing', () => {
    expect(unmetNeeds(facts)).toEqual([]);
  });

  test.each<[string, Partial<InstallationFacts>, RegExp]>([
    ['http', { publicUrl: 'http://raha.example' }, /^PUBLIC_URL .*https/],
    ['loopback', { environment: 'production', publicUrl: 'https://127.0.0.1' }, /^PUBLIC_URL/],
    ['no mail server', { smtpUrl: undefined }, /^SMTP_URL is not set/],
    ['mail without TLS', { smtpUrl: 'smtp://mail.example:25?ignoreTLS=true' }, /^SMTP_URL switches TLS/],
    ['any certificate', { smtpUrl: 'smtps://mail.example?tls.rejectUnauthorized=false' }, /^SMTP_URL switches TLS/],
    ['a generated master key', { masterKeyGiven: false }, /MASTER_KEY_FILE/],
    ['samples', { sampleData: true }, /^SAMPLE_DATA/],
    [
      'a test key',
      { gatewayKeys: { ZARINPAL_MERCHANT_ID: '00000000-0000-4000-8000-000000000000' } },
      /^ZARINPAL_MERCHANT_ID is the key of a test bank/,
    ],
    ['a bank over http', { serviceUrls: { NEXTPAY_BASE_URL: 'http://bank.example' } }, /^NEXTPAY_BASE_URL/],
    ['a remote database', { databaseUrl: 'postgres://raha:x@db.internal/raha' }, /^DATABASE_URL .*sslmode/],
    [
      'a remote PgBouncer',
      { databaseUrl: 'postgres://127.0.0.1/raha', poolUrl: 'postgres://pool.internal/raha' },
      /^DATABASE_POOL_URL .*sslmode/,
    ],
    ['a PgBouncer alone', { poolUrl: 'postgres://127.0.0.1:6432/raha' }, /^DATABASE_POOL_URL stands beside/],
    ['… which may fall back', { databaseUrl: 'postgres://db.internal/raha?sslmode=prefer' }, /^DATABASE_URL/],
  ])('%s', (_what, wrong, sentence) => {
    const found = unmetNeeds({ ...facts, ...wrong });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(sentence);
    expect(found[0]).not.toMatch(/hunter2|:x@/);
  });

  test.each([
    'postgres:///raha?host=/run/postgresql',
    'postgres://raha@127.0.0.1:5432/raha',
    'postgres://raha@localhost/raha',
    'postgres://raha:x@db.internal/raha?sslmode=verify-full',
  ])('%s is accepted', (databaseUrl) => {
    expect(unmetNeeds({ ...facts, databaseUrl })).toEqual([]);
  });

  test('a workshop needs nothing, but also refuses to send a database password in clear text', () => {
    const workshop = {
      ...facts,
      publicUrl: 'http://127.0.0.1:3000',
      smtpUrl: undefined,
      masterKeyGiven: false,
      sampleData: true,
    };
    expect(unmetNeeds(workshop)).toEqual([]);
    expect(unmetNeeds({ ...workshop, databaseUrl: 'postgres://raha:x@db.internal/raha' })).toHaveLength(1);
  });
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['[::1]', true],
  ['raha.localhost', true],
  ['127.0.0.1.nip.io', false],
  ['::2', false],
  ['10.0.0.1', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
