import { describe, expect, test } from 'vitest';
import { checkSigned, signedUrl } from './signed-redirect.ts';
import { checkWebhook, readSecret, signWebhook } from './standard-webhook.ts';

const now = new Date('2026-11-20T10:00:00Z');
const key = { id: '1', secret: 'a key of at least thirty-two characters' };
const visit = {
  ref: 'r-1',
  userId: 'u-1',
  email: 'نیلوفر+1@mail.example',
  returnUrl: 'https://raha.example/user/subscriptions?payment_success=1&store=cardplus',
  nonce: 'n-1',
  expiresAt: new Date(now.getTime() + 600_000),
};

describe('a signed visit', () => {
  const url = signedUrl('https://store.example/gift/raha?lang=fa', visit, key);
  const read = (change: (query: URLSearchParams) => void = () => undefined, at = now) => {
    const query = new URL(url).searchParams;
    change(query);
    return checkSigned(query, key, at);
  };

  test('is read by the store as it was written', () => {
    expect(read()).toEqual({ kind: 'good', ref: 'r-1', nonce: 'n-1', returnUrl: visit.returnUrl });
  });

  test.each(['lang', 'ref', 'user_id', 'user_email', 'return_url', 'nonce', 'exp', 'kid', 'sig'])(
    'with another %s is refused',
    (name) => {
      const refused = { kind: 'refused', reason: 'signature' };
      expect(read((query) => query.set(name, `${query.get(name)}0`))).toEqual(refused);
      expect(read((query) => query.delete(name))).toEqual(refused);
      expect(read((query) => query.append(name, query.get(name) ?? ''))).toEqual(refused);
    },
  );

  test.each([
    [599, 'good'],
    [600, 'expired'],
    [-1, 'expired'],
  ])('%i seconds later it is %s', (seconds, outcome) => {
    const checked = read(undefined, new Date(now.getTime() + seconds * 1000));
    expect(checked.kind === 'good' ? 'good' : checked.reason).toBe(outcome);
  });
});

describe('a webhook', () => {
  const secret = readSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw') as Buffer;
  const body = '{"test": 2432232314}';
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body };
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
  const at = (seconds: number) => new Date((1_614_265_330 + seconds) * 1000);

  test('is signed as in the published test vector', () => expect(signWebhook(secret, message)).toBe(signature));

  test.each([
    ['as sent', {}, 0, 'accepted'],
    ['five minutes late', {}, 300, 'accepted'],
    ['five minutes early', {}, -300, 'accepted'],
    ['later than that', {}, 301, 'too old'],
    ['earlier than that', {}, -301, 'too old'],
    ['with a second signature', { signature: `v1,AAAA v1a,zzzz ${signature}` }, 0, 'accepted'],
    ['of another body', { body: `${body} ` }, 0, 'wrong signature'],
    ['of another id', { id: 'msg_other' }, 0, 'wrong signature'],
    ['of another time', { timestamp: '1614265331' }, 0, 'wrong signature'],
    ['of another version', { signature: signature.replace('v1', 'v2') }, 0, 'wrong signature'],
    ['without a signature', { signature: undefined }, 0, 'unsigned'],
    ['without an id', { id: undefined }, 0, 'unsigned'],
    ['without a time', { timestamp: 'soon' }, 0, 'unsigned'],
  ])('%s', (_what, change, seconds, outcome) => {
    const reading = checkWebhook(secret, { ...message, signature, ...change }, at(seconds));
    expect(reading.kind === 'accepted' ? reading.kind : reading.reason).toBe(outcome);
  });

  test.each(['whsec_', 'whsec_short', `whsec_${'A'.repeat(100)}`, 'whsec_!!!!'])('%s is no secret', (text) => {
    expect(readSecret(text)).toBeUndefined();
  });
});
