import { createECDH } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createVault } from '../../platform/sealed.ts';
import { encryptForBrowser } from './encrypt.ts';
import { openSenderKey } from './sender-key.ts';
import { createWebPush } from './web-push.ts';

const bytes = (text: string) => Buffer.from(text, 'base64url');

test('a message is encrypted as in the example of RFC 8291, to the byte', () => {
  const ours = createECDH('prime256v1');
  ours.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const browser = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const message = encryptForBrowser(
    'When I grow up, I want to be a watermelon',
    browser,
    ours,
    bytes('DGv6ra1nlYgDCS1FRnbzlw'),
  );
  expect(message.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('our key stays when the master key is replaced, and is another one elsewhere', () => {
  const vault = createVault('the first master key');
  const rotated = createVault('the second master key\nthe first master key');
  expect(openSenderKey(rotated).publicKey).toBe(openSenderKey(vault).publicKey);
  expect(openSenderKey(createVault('another')).publicKey).not.toBe(openSenderKey(vault).publicKey);
});

describe('only push services of browsers are called', () => {
  const push = createWebPush({
    key: openSenderKey(createVault('a master key')),
    clock: { now: () => new Date(0) },
    publicUrl: () => 'https://raha.example',
  });
  test.each([
    ['https://fcm.googleapis.com/fcm/send/abc', true],
    ['https://updates.push.services.mozilla.com/wpush/v2/abc', true],
    ['https://web.push.apple.com/QGuQ', true],
    ['https://wns2-par02p.notify.windows.com/w/?token=abc', true],
    ['http://fcm.googleapis.com/fcm/send/abc', false],
    ['https://fcm.googleapis.com.evil.example/', false],
    ['https://fcm.googleapis.com@evil.example/', false],
    ['https://evil.example/fcm.googleapis.com/', false],
    ['https://127.0.0.1/', false],
    ['https://notify.windows.com/', false],
    ['not an address', false],
  ])('%s: %s', async (endpoint, isOne) => {
    expect(push.accepts(endpoint)).toBe(isOne);
    if (!isOne) {
      const to = { endpoint, p256dh: '', auth: '' };
      expect(await push.send(to, { text: '', topic: 'service', ttlSeconds: 1 })).toMatchObject({ kind: 'refused' });
    }
  });
});
