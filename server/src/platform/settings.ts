import { limits, paymentGateways } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import * as z from 'zod/mini';
import type { Executor } from './database.ts';

const gatewaySwitch = z.enum(['auto', 'on', 'off']);

/** What an operator may change at run time, each with its check and its default. */
const count = z.int().check(z.gte(0), z.lte(1_000_000_000));
const words = /^[^"'<>&\\\p{Cc}]+$/u;
const brandName = z.string().check(z.minLength(1), z.maxLength(40), z.regex(words));
/** `|` is where the second line of the landing page's title begins. */
const tagline = z.string().check(z.minLength(1), z.maxLength(80), z.regex(words));

const templateName = z.string().check(z.regex(/^[\w-]{1,60}$/));

/** What looks like an IPv4 address has to be one, or no URL can be made of it (WHATWG URL, "ends in a number"). */
const hostName = z.string().check(
  z.regex(/^[a-z0-9.-]{1,253}$/),
  z.refine((host) => URL.canParse(`https://${host}`)),
);

const definitions = {
  // Names go into headers of mails and into data blocks of pages: no line breaks, quotes or angle brackets.
  'brand.name': { schema: brandName, initial: 'رها' },
  'brand.nameEnglish': { schema: brandName, initial: 'Raha' },
  'brand.tagline': { schema: tagline, initial: 'پنجره‌ای رو به|اینترنت آزاد' },
  'brand.taglineEnglish': { schema: tagline, initial: 'A window on the|open internet' },
  'brand.supportEmail': { schema: z.email(), initial: 'support@raha.example' },
  'price.usdCentsPerGb': { schema: z.int().check(z.gte(0), z.lte(100_000)), initial: limits.price.usdCentsPerGb },
  'trial.passwordlessDays': { schema: z.int().check(z.gte(0), z.lte(365)), initial: limits.trial.passwordlessDays },
  'trial.passwordDays': {
    schema: z.int().check(z.gte(0), z.lte(365)),
    initial: limits.trial.passwordRegistrationDays,
  },
  'rate.minToman': { schema: z.int().check(z.gte(1), z.lte(100_000_000)), initial: 20_000 },
  'rate.maxToman': { schema: z.int().check(z.gte(1), z.lte(100_000_000)), initial: 5_000_000 },
  // auto: on, but IDPay is off where it has a real key (public reports say that it has stopped).
  'gateways.zarinpal': { schema: gatewaySwitch, initial: 'auto' },
  'gateways.idpay': { schema: gatewaySwitch, initial: 'auto' },
  'gateways.nextpay': { schema: gatewaySwitch, initial: 'auto' },
  /** The order in which people see them. */
  'gateways.order': {
    schema: z.array(z.enum(paymentGateways)).check(z.maxLength(paymentGateways.length)),
    initial: [...paymentGateways],
  },
  /** False: configs may be made and used inside the trial before the account is activated. */
  'trial.requiresActivation': { schema: z.boolean(), initial: true },
  // What the landing page claims.
  'claims.countries': { schema: count, initial: limits.marketing.countries },
  'claims.servers': { schema: count, initial: limits.marketing.servers },
  'claims.monthlyPriceToman': { schema: count, initial: limits.marketing.monthlyPriceToman },
  'claims.othersFromToman': { schema: count, initial: limits.marketing.othersFromToman },
  'claims.othersToToman': { schema: count, initial: limits.marketing.othersToToman },
  'claims.devices': { schema: count, initial: limits.marketing.devices },
  /** Of five. */
  'claims.rating': { schema: z.number().check(z.gte(1), z.lte(5)), initial: limits.marketing.rating },
  'claims.packageToman': { schema: count, initial: limits.marketing.packageToman },
  /** True: who had deactivated the account is back by signing in; false: only the operator opens it again. */
  'accounts.returnBySignIn': { schema: z.boolean(), initial: true },
  // Names of the templates that Kavenegar has approved.
  'sms.codeTemplate': { schema: templateName, initial: 'raha-code' },
  'sms.lowBalanceTemplate': { schema: templateName, initial: 'raha-low-balance' },
  'sms.serviceCutTemplate': { schema: templateName, initial: 'raha-service-cut' },
  /** Hosts, beside the panel and the gateways' own, that a device reaches whose money is spent: banks' pages. */
  'cutOff.reachable': {
    schema: z.array(hostName).check(z.maxLength(40)),
    initial: [...limits.cutOff.bankHosts],
  },
  /** The fastest link of a node; who claims more bytes than it carries gets no leases for them. */
  'nodes.linkGbitPerSecond': { schema: z.int().check(z.gte(1), z.lte(1000)), initial: 10 },
  'configs.perUser': { schema: z.int().check(z.gte(1), z.lte(1000)), initial: limits.config.perUser },
} as const;

export type SettingKey = keyof typeof definitions;
type Value<K extends SettingKey> = z.output<(typeof definitions)[K]['schema']>;

export const settingKeys = Object.keys(definitions) as SettingKey[];

export async function getSetting<K extends SettingKey>(db: Executor, key: K): Promise<Value<K>> {
  const found = await sql<{ value: unknown }>`SELECT value FROM setting WHERE key = ${key}`.execute(db);
  const row = found.rows[0];
  return (row ? definitions[key].schema.parse(row.value) : definitions[key].initial) as Value<K>;
}

/** Throws a sentence for the operator when the value does not fit. */
export async function setSetting(db: Executor, key: string, text: string, now: Date): Promise<unknown> {
  if (!Object.hasOwn(definitions, key)) {
    throw new Error(`There is no setting "${key}". Settings: ${settingKeys.join(', ')}.`);
  }
  const parsed = definitions[key as SettingKey].schema.safeParse(readJson(text));
  if (!parsed.success) throw new Error(`"${text}" does not fit the setting ${key}.`);
  await sql`
    INSERT INTO setting (key, value, updated_at) VALUES (${key}, ${JSON.stringify(parsed.data)}::jsonb, ${now})
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
  `.execute(db);
  return parsed.data;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
