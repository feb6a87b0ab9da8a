import { limits } from '@raha/contract/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Device } from './start-session.ts';

const COOKIE = 'device';
const RANDOM = /^[A-Za-z0-9_-]{43}$/;

/** The browser behind a request, in words that its owner recognises: «Firefox · Android». */
export function deviceOf(request: FastifyRequest): Device {
  const cookie = request.cookies[COOKIE];
  return {
    cookie: cookie && RANDOM.test(cookie) ? cookie : undefined,
    label: describeAgent(request.headers['user-agent'] ?? ''),
  };
}

export function keepDevice(reply: FastifyReply, cookie: string, secure: boolean): void {
  reply.setCookie(COOKIE, cookie, {
    path: '/api/v1/auth',
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: limits.deviceCookieDays * 86_400,
  });
}

const browsers: [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser/, 'Samsung Internet'],
  [/Firefox|FxiOS/, 'Firefox'],
  [/Chrome|CriOS/, 'Chrome'],
  [/Safari/, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad|iPod/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

export function describeAgent(agent: string): string {
  const find = (list: [RegExp, string][]) => list.find(([pattern]) => pattern.test(agent))?.[1];
  return [find(browsers), find(systems)].filter(Boolean).join(' · ');
}
