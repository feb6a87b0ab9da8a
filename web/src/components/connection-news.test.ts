import { expect, test } from 'vitest';
import { connectionNews } from './connection-news.ts';

const nothing = { currentConfig: null, isConnected: false, connectedSince: null };
const waiting = { ...nothing, currentConfig: { id: 'phone' } };
const phone = { currentConfig: { id: 'phone' }, isConnected: true, connectedSince: '2026-11-20T08:00:00.000Z' };
const laptop = { currentConfig: { id: 'laptop' }, isConnected: true, connectedSince: '2026-11-20T09:00:00.000Z' };

test.each([
  ['a device comes', waiting, phone, 'connected'],
  ['it goes', phone, nothing, 'ended'],
  ['nothing happens', phone, phone, undefined],
  ['another one is waited for', nothing, waiting, undefined],
  ['a second one comes', phone, laptop, 'connected'],
  ['the second one goes: nothing has connected', laptop, phone, 'ended'],
] as const)('%s', (_what, before, after, news) => expect(connectionNews(before, after)).toBe(news));
