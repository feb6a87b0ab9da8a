import { limits } from '@raha/contract/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newSecret } from '../../platform/random.ts';

/** What is known of the browser that signs in: our random cookie and its user agent. */
export interface Device {
  readonly cookie: string | undefined;
  readonly label: string;
}

const COOKIE = 'device';
const PANEL_PATH = '/api/v1/auth';
const RANDOM = /^[A-Za-z0-9_-]{43}$/;

/** The browser of a request, described so that its owner recognises it: «Firefox · Android». */
export function deviceOf(request: FastifyRequest): Device {
  const cookie = request.cookies[COOKIE];
  return {
    cookie: cookie && RANDOM.test(cookie) ? cookie : undefined,
    label: describeAgent(request.headers['user-agent'] ?? ''),
  };
}

/**
 * The browser of a request for a code. It gets its cookie at once, because the code works only in this browser.
 * Programs that are not browsers (they send no Fetch Metadata) keep no cookies and get none.
 */
export function rememberBrowser(
  request: FastifyRequest,
  reply: FastifyReply,
  secure: boolean,
  path: string = PANEL_PATH,
): Device {
  const device = deviceOf(request);
  if (device.cookie !== undefined || request.headers['sec-fetch-site'] === undefined) return device;
  const cookie = newSecret();
  keepDevice(reply, cookie, secure, path);
  return { ...device, cookie };
}

/** `path`: the calls that it is sent with. The console's browser is another one to us than the panel's. */
export function keepDevice(reply: FastifyReply, cookie: string, secure: boolean, path: string = PANEL_PATH): void {
  reply.setCookie(COOKIE, cookie, {
    path,
    httpOnly: true,
    sameSite: 'lax',
    secure,
    maxAge: limits.keptDays.devices * 86_400,
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
