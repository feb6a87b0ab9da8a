import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { type ClaimName, sampleClaims } from '@raha/contract/site-claims.ts';
import type { SiteValues } from '@raha/contract/site-placeholders.ts';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applicationShells } from '../src/app/build-app.ts';
import { servePages } from '../src/platform/http/pages.ts';

/** What the operator stated; of the rest nothing is known. */
function claimsOf(stated: Partial<Record<ClaimName, number>>): SiteValues['claims'] {
  const names = Object.keys(sampleClaims) as ClaimName[];
  const claims = names.map((name) => [name, { value: stated[name] ?? null, isSample: false }]);
  return Object.fromEntries(claims) as SiteValues['claims'];
}

/** The handler of the static pages, on a small build of its own. */
let app: FastifyInstance;
let directory: string;
let values: SiteValues = {
  brand: 'رها',
  brandEnglish: 'Raha',
  tagline: 'شعار',
  taglineFirst: 'شعار',
  taglineSecond: '',
  taglineEnglish: 'Motto',
  taglineEnglishFirst: 'Motto',
  taglineEnglishSecond: '',
  supportEmail: 'help@raha.example',
  passwordDays: 7,
  passwordlessDays: 14,
  trialTerms: 'تا ۱۰ گیگابایت',
  trialTermsEnglish: 'up to 10 GB',
  trialMeaning: '',
  trialMeaningEnglish: '',
  claims: claimsOf({ countries: 94, servers: 5000 }),
  demonstrations: true,
  usdCentsPerGb: 3,
  configsPerUser: 20,
  sampleData: 'off',
};

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'raha-pages-'));
  for (const folder of ['pages/fa', 'pages/en', 'assets']) mkdirSync(join(directory, folder), { recursive: true });
  const files: Record<string, string> = {
    'app.html': '<!doctype html><title>application</title>',
    'app-visitor.html': '<!doctype html><title>application</title><p>visitor',
    'app-panel.html':
      '<!doctype html><title>application</title><p>panel<script type="module" crossorigin src="/assets/x.js"></script><div id="root"></div>',
    'console.html': '<!doctype html><title>console of %{brand}</title>',
    '404.html': '<!doctype html><title>۴۰۴</title>',
    '404-en.html': '<!doctype html><title>404</title>',
    'pages/fa/index.html':
      '<!doctype html><link rel="canonical" href="https://origin.invalid/">%{brand}، %{countries}، %{supportEmail}',
    'pages/fa/faq.html':
      '<!doctype html><link rel="canonical" href="https://origin.invalid/faq"><script type="module" src="/assets/x.js"></script>',
    'pages/en/faq.html':
      '<!doctype html><link rel="canonical" href="https://origin.invalid/en/faq">%{brandEnglish}, %{servers}, %{passwordDays:plain}',
    'pages/robots.txt': 'Sitemap: https://origin.invalid/sitemap.xml',
    'pages/manifest.webmanifest': '{"name":"%{brand}"}',
    'pages/manifest-en.webmanifest': '{"name":"%{brandEnglish}"}',
    'assets/x.js': 'export {};',
    'service-worker.js': 'self.RELEASE={};',
    'pages.json': JSON.stringify({
      '/': 'pages/fa/index.html',
      '/faq': 'pages/fa/faq.html',
      '/en/faq': 'pages/en/faq.html',
      '/robots.txt': 'pages/robots.txt',
      '/manifest.webmanifest': 'pages/manifest.webmanifest',
      '/manifest-en.webmanifest': 'pages/manifest-en.webmanifest',
    }),
    'csp.json': JSON.stringify({ scripts: ['sha256-a'], styles: [] }),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await servePages(app, {
    directory,
    publicUrl: 'https://raha.example',
    shells: applicationShells,
    siteValues: async () => values,
  });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  rmSync(directory, { recursive: true, force: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

describe('clean paths', () => {
  test.each(['/faq', '/faq/', '/faq?from=mail'])('%s is the page, with the site’s own address in it', async (path) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('https://raha.example/faq');
    expect(answer.body).not.toContain('origin.invalid');
    expect(answer.headers['content-security-policy']).toContain("script-src 'self' 'sha256-a'");
    expect(answer.headers['content-security-policy']).toContain("require-trusted-types-for 'script'");
  });

  test('the manifest names the operator’s brand, whatever characters are in it', async () => {
    const before = values;
    values = { ...values, brand: 'آزاد "&" رها' };
    const answer = await get('/manifest.webmanifest');
    values = before;
    expect(answer.headers['content-type']).toContain('application/manifest+json');
    expect(answer.json()).toEqual({ name: 'آزاد "&" رها' });
    expect((await get('/manifest-en.webmanifest')).json()).toEqual({ name: values.brandEnglish });
  });

  test('the service worker is asked for anew each time, and may fetch our files and do nothing else', async () => {
    const answer = await get('/service-worker.js');
    expect(answer.headers['content-type']).toContain('javascript');
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(answer.headers['content-security-policy']).toBe("default-src 'none'; connect-src 'self'; img-src 'self'");
  });

  test('plain text is plain text', async () => {
    const answer = await get('/robots.txt');
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.body).toBe('Sitemap: https://raha.example/sitemap.xml');
  });

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('%s: compressed if the browser accepts it, with the same content', async (coding, open) => {
    const answer = await get('/', { 'accept-encoding': coding });
    expect(answer.headers['content-encoding']).toBe(coding);
    expect(answer.headers.vary).toBe('accept-encoding');
    expect(open(answer.rawPayload).toString()).toBe((await get('/')).body);
  });

  test('what the browser already has is not sent again', async () => {
    const { headers } = await get('/');
    const again = await get('/', { 'if-none-match': headers.etag as string });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe('');
  });

  test.each([
    '/pages/fa/faq.html',
    '/pages.json',
    '/csp.json',
    '/pages/',
    '/..%2f..%2fetc%2fpasswd',
    '/faq.html',
    '/app.html',
    '/app-panel.html',
    '/404.html',
    '/console.html',
  ])('%s is no address', async (path) => {
    expect((await get(path)).statusCode).toBe(404);
  });
});

describe('the operator’s settings', () => {
  test('are on the pages at once, in the digits of their language, and never as markup', async () => {
    expect((await get('/')).body).toContain('رها، ۹۴، help@raha.example');
    expect((await get('/en/faq')).body).toContain('Raha, 5,000, 7');
    const { etag } = (await get('/')).headers;
    values = { ...values, brand: '<b>"نو"</b>', claims: claimsOf({ countries: 12 }) };
    const answer = await get('/', { 'if-none-match': etag as string });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('&#60;b&#62;&#34;نو&#34;&#60;/b&#62;، ۱۲');
    expect(brotliDecompressSync((await get('/', { 'accept-encoding': 'br' })).rawPayload).toString()).toBe(answer.body);
  });
});

describe('everything else', () => {
  test.each([
    ['/register', 'visitor'],
    ['/auth/passwordless', 'visitor'],
    ['/auth/google/callback', 'visitor'],
    ['/verify-email', 'visitor'],
    ['/user', 'panel'],
    ['/user/dashboard', 'panel'],
    ['/user/dashboards', 'panel'],
    ['/user/configs/1', 'panel'],
    ['/dashboard', undefined],
    ['/profile', undefined],
  ])('%s is the application', async (path, shell) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('application');
    expect(/<p>(\w+)/.exec(answer.body)?.[1]).toBe(shell);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });

  test('the answer itself names the program of the panel, and no script of a page that stands without it', async () => {
    expect((await get('/user')).headers.link).toBe('</assets/x.js>; rel=modulepreload');
    expect((await get('/faq')).headers.link).toBeUndefined();
  });

  test.each(['/admin', '/admin/staff', '/admin/'])(
    '%s is the console, another document than the panel’s',
    async (path) => {
      const answer = await get(path);
      expect(answer.statusCode).toBe(200);
      expect(answer.body).toContain('<title>console of ');
      expect(answer.body).not.toContain('%{brand}');
      expect(answer.headers['content-security-policy']).toContain("script-src 'self' 'sha256-a'");
    },
  );

  test.each([
    ['/nothing', '۴۰۴'],
    ['/en/nothing', '404'],
    ['/registered', '۴۰۴'],
  ])('%s is a 404 page', async (path, title) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(404);
    expect(answer.body).toContain(title);
  });

  test.each(['/api/v1/nothing', '/node/v2/nothing', '/dev/nothing'])('%s: a refusal in JSON', async (path) => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ success: false, code: 'not_found' });
  });

  test('a POST gets no page', async () => {
    const answer = await app.inject({ method: 'POST', url: '/register' });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ code: 'not_found' });
  });

  test('files with a content hash in their name stay in the browser for a year', async () => {
    expect((await get('/assets/x.js')).headers['cache-control']).toContain('immutable');
  });
});
