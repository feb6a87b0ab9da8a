import { resolve4, resolve6 } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createMailer } from '../../adapters/mail/mail.ts';
import { isLoopbackHost } from '../../platform/installation.ts';
import { PROBE_HEADER, probeToken, type SeenRequest } from '../probe.ts';
import { type Check, type DoctorContext, type Finding, ok, problem, warning } from './finding.ts';

/** Checks through the public address, as users reach it. */
export const outsideChecks: readonly Check[] = [
  { name: 'dns', run: checkDns },
  { name: 'tls', run: checkTls },
  { name: 'server', run: checkServer },
  { name: 'proxy', run: checkProxy },
  { name: 'mail', run: checkMail },
];

const CERTIFICATE_DAYS = 14;
const TIMEOUT_MS = 10_000;
/** From the documentation network (RFC 5737); no host has it. */
const FORGED_ADDRESS = '192.0.2.66';

async function checkDns({ config }: DoctorContext): Promise<Finding[]> {
  const host = hostOf(config.publicUrl);
  if (isLoopbackHost(host) || /^[\d.]+$|:/.test(host)) return [ok(`${host} is an address.`)];
  const found = await Promise.allSettled([resolve4(host), resolve6(host)]);
  const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  if (addresses.length > 0) return [ok(`${host} has ${addresses.length} addresses.`)];
  return [problem(`${host} has no address: add A and AAAA records for it in your DNS.`)];
}

async function checkTls(context: DoctorContext): Promise<Finding[]> {
  const { config, clock } = context;
  if (!config.publicUrl.startsWith('https:')) return [ok('No TLS: a loopback address needs none.')];
  const answer = await ask(context, '/livez').catch((error: unknown) => error as Error);
  if (answer instanceof Error) {
    return isCertificateError(answer)
      ? [problem(`The certificate of ${config.publicUrl} is not accepted (${answer.message}): renew it in the proxy.`)]
      : [];
  }
  const days = Math.floor(((answer.certificateEndsAt?.getTime() ?? 0) - clock.now().getTime()) / 86_400_000);
  if (days < CERTIFICATE_DAYS) {
    return [warning(`The certificate ends in ${days} days: see why the proxy does not renew it.`)];
  }
  return [ok(`The certificate is good for ${days} days.`)];
}

async function checkServer(context: DoctorContext): Promise<Finding[]> {
  const { publicUrl } = context.config;
  const answer = await ask(context, '/readyz/database').catch((error: unknown) => error as Error);
  if (answer instanceof Error) {
    return isCertificateError(answer)
      ? []
      : [problem(`${publicUrl} does not answer (${answer.message}): start the server, and check proxy and firewall.`)];
  }
  if (answer.status === 200) return [ok('The server answers at its public address.')];
  return [
    problem(
      `${publicUrl}/readyz/database answers ${answer.status}: look at the server's log and the proxy's upstream.`,
    ),
  ];
}

/** A proxy must forward the client's address, and must not trust the one that the client itself states. */
async function checkProxy(context: DoctorContext): Promise<Finding[]> {
  const { config, vault, clock } = context;
  if (config.installation !== 'production') return [ok('No proxy is needed.')];
  const headers = { [PROBE_HEADER]: probeToken(vault, clock), 'x-forwarded-for': FORGED_ADDRESS };
  const answer = await ask(context, '/livez', headers).catch(() => undefined);
  if (answer?.status !== 200) return [];
  const findings: Finding[] = [];
  const seen = readSeen(answer.body);
  if (!seen) {
    findings.push(warning('Another installation, or another master key, answers at the public address.'));
  } else if (seen.address === FORGED_ADDRESS) {
    findings.push(
      problem('The proxy passes X-Forwarded-For on as the client sent it: let it replace or append the address.'),
    );
  } else if (seen.isLoopback) {
    findings.push(
      problem(
        'All requests seem to come from this machine, so that everybody shares one limit: let the proxy set X-Forwarded-For, and name its network in TRUST_PROXY.',
      ),
    );
  }
  for (const path of ['/metrics', '/dev/outbox']) {
    const hidden = await ask(context, path).catch(() => undefined);
    if (hidden?.status === 200) findings.push(problem(`${path} is public: the proxy must not forward it.`));
  }
  return findings.length > 0 ? findings : [ok('The proxy forwards the addresses of clients.')];
}

async function checkMail({ config, clock }: DoctorContext): Promise<Finding[]> {
  const { smtpUrl, operatorEmail, dataDir, publicUrl } = config;
  if (!smtpUrl) return [ok('Mails are files in the outbox.')];
  if (!operatorEmail) return [warning('OPERATOR_EMAIL is not set: delivery was not tried.')];
  const from = { name: async () => 'Raha', address: `no-reply@${hostOf(publicUrl)}` };
  const mailer = createMailer({ smtpUrl, outboxDir: join(dataDir, 'outbox'), from, clock });
  const text = 'raha doctor: mail from this installation reaches you.';
  try {
    await mailer.send({ to: operatorEmail, subject: 'raha doctor', text, html: `<p>${text}</p>` });
    return [ok(`The mail server took a mail to ${operatorEmail}: see that it arrives, and not as spam.`)];
  } catch (error) {
    return [problem(`The mail server refused (${codeOf(error)}): check SMTP_URL, its user, password and port.`)];
  }
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly certificateEndsAt: Date | undefined;
}

function ask(context: DoctorContext, path: string, headers: Record<string, string> = {}): Promise<Answer> {
  const url = new URL(path, context.config.publicUrl);
  const isTls = url.protocol === 'https:';
  const agent = isTls ? new Agent({ ca: certificatesOf(context), maxCachedSessions: 0 }) : undefined;
  return new Promise<Answer>((resolve, reject) => {
    const request = (isTls ? requestHttps : requestHttp)(url, { headers, agent, timeout: TIMEOUT_MS }, (response) => {
      const certificate = isTls ? (response.socket as TLSSocket).getPeerCertificate() : undefined;
      const certificateEndsAt = certificate && new Date(certificate.valid_to);
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), certificateEndsAt }),
      );
    });
    request.on('timeout', () => request.destroy(new Error('no answer in ten seconds')));
    request.on('error', reject);
    request.end();
  }).finally(() => agent?.destroy());
}

function certificatesOf({ extraCertificates }: DoctorContext): string[] | undefined {
  return extraCertificates === undefined ? undefined : [extraCertificates];
}

function readSeen(body: string): SeenRequest | undefined {
  try {
    return (JSON.parse(body) as { seen?: SeenRequest }).seen;
  } catch {
    return undefined;
  }
}

/** Error codes of OpenSSL's verification, as Node.js names them. */
function isCertificateError(error: Error): boolean {
  return /^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(codeOf(error));
}

function codeOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return code ?? message ?? String(error);
}

function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}
