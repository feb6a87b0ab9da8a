import { createServer, type Server } from 'node:http';
import { type NodeServices, PORTS } from '../firewall/service-chains.ts';

/** The page that devices see whose quota is exceeded. The firewall lets nobody else reach it. */
export interface CaptivePortal {
  /** Listens on the node's inner addresses as soon as they exist. Rejects when something else prevents it. */
  ensureListening(): Promise<void>;
  close(): void;
}

export function createCaptivePortal(services: NodeServices, topUpUrl: () => string | undefined): CaptivePortal {
  const listening = new Map<string, Server>();
  return {
    ensureListening: async () => {
      const missing = [services.address4, services.address6].filter((address) => !listening.has(address));
      const failed = (await Promise.allSettled(missing.map(listen))).find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    },
    close: () => {
      for (const server of listening.values()) server.close();
    },
  };

  async function listen(address: string): Promise<void> {
    const server = createServer((request, response) => {
      request.resume();
      // Status 511 exists for captive portals (RFC 6585, 6): clients neither cache the page nor take it for the resource.
      response.writeHead(511, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
        // The firewall decides about each connection, so the next request needs a new one.
        connection: 'close',
      });
      response.end(portalPage(topUpUrl()));
    });
    server.maxConnections = 512;
    server.requestTimeout = 10_000;
    server.headersTimeout = 5_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'EADDRNOTAVAIL') resolve();
        else reject(error);
      });
      server.listen(PORTS.portal, address, () => {
        server.on('error', () => {});
        listening.set(address, server);
        resolve();
      });
    });
  }
}

const REFRESH_SECONDS = 5;

/** One page in both languages, because the node does not know its user. It reloads the requested address by itself. */
export function portalPage(topUpUrl: string | undefined): string {
  const href = topUpUrl && /^https?:\/\//.test(topUpUrl) ? escapeText(topUpUrl) : undefined;
  const link = (label: string) => (href ? `<p><a href="${href}">${label}</a></p>` : '');
  return `<!doctype html>
<html lang="fa" dir="rtl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="${REFRESH_SECONDS}">
<title>موجودی تمام شد، اینترنت قطع است · Your balance is used up</title>
<style>
:root { color-scheme: light dark; --ink: #17202b; --soft: #566273; --page: #f4f6f8; --card: #fff; --line: #dde3ea; --act: #0b6e5f; --on: #fff }
@media (prefers-color-scheme: dark) { :root { --ink: #eef2f6; --soft: #a9b4c2; --page: #10151b; --card: #18202a; --line: #2a3542; --act: #3ecfb4; --on: #06211c } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; padding: 1.5rem; background: var(--page); color: var(--ink); font: 1rem/1.9 Vazirmatn, Tahoma, system-ui, sans-serif }
main { max-width: 30rem; padding: 2rem; border: 1px solid var(--line); border-radius: 1rem; background: var(--card) }
section + section { margin-top: 1.75rem; padding-top: 1.75rem; border-top: 1px solid var(--line) }
h1, h2 { margin: 0 0 .5rem; font-size: 1.25rem; line-height: 1.5 }
p { margin: 0 0 .75rem; color: var(--soft) }
p:last-child { margin: 0 }
a { display: inline-block; padding: .55rem 1.25rem; border-radius: .6rem; background: var(--act); color: var(--on); font-weight: 600; text-decoration: none }
a:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px }
</style>
</head>
<body>
<main>
<section>
<h1>موجودی تمام شد، اینترنت قطع است</h1>
<p>کیف پول خالی است یا حجم پلن تمام شده است. پنل و درگاه‌های پرداخت از همین اتصال باز می‌شوند.</p>
${link('شارژ کیف پول')}
<p>با شارژ، همان لحظه برمی‌گردد؛ به گوشی و برنامه دست نزنید.</p>
<p>اگر کسی این اینترنت را برایتان فرستاده است، به او خبر بدهید: شاید سقف این ماه پر شده باشد.</p>
</section>
<section lang="en" dir="ltr">
<h2>Your balance is used up</h2>
<p>Your wallet or your plan’s traffic has run out, so this device has no internet through the VPN. The panel and the payment pages still open.</p>
${link('Top up')}
<p>Service resumes by itself after you top up. There is nothing to do on this device.</p>
<p>If somebody set this up for you, tell them: this month’s limit may be reached.</p>
</section>
</main>
</body>
</html>
`;
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
