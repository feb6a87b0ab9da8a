import type { Locale } from '../locale.ts';
import { nameOfCause } from './cause-names.ts';
import type { Permission } from './roles.ts';

/**
 * What may be wrong with an installation, and how it is called: the same sentence in the mail, in the console and at the command
 * line. Without names, addresses or sums of users. `page` is worth waking somebody up, `ticket` waits for the morning.
 */
export const alertSeverities = ['page', 'ticket'] as const;
export type AlertSeverity = (typeof alertSeverities)[number];

interface Rule {
  readonly severity: AlertSeverity;
  /** `{cause}` is what of the installation it is about, `{figure}` a number. */
  readonly fa: string;
  readonly en: string;
  /** What to do. */
  readonly advice: Readonly<Record<Locale, string>>;
  /** Who gets it by mail; without it those who may act on alerts. */
  readonly mailedTo?: Permission;
  /** Where in the console it is seen to; without it in the inbox. */
  readonly screen?: string;
  /** Its causes are words of ours, and have a name in each language; a server or a flag keeps its own. */
  readonly isNamed?: true;
}

export const alertRules = {
  ledger_broken: {
    severity: 'page',
    fa: 'قاعدهٔ {cause} دفتر برقرار نیست.',
    en: 'Invariant {cause} of the ledger does not hold.',
    advice: {
      fa: 'raha payments hold و بعد raha ledger check؛ هیچ ردیفی را دستی عوض نکنید.',
      en: 'raha payments hold, then raha ledger check; change no row by hand.',
    },
  },
  ledger_not_proved: {
    severity: 'page',
    fa: 'آنچه در دفتر تازه است، پنج دقیقه است که اثبات نشده.',
    en: 'What is new in the ledger has not been proved for five minutes.',
    advice: {
      fa: 'worker را نگاه کنید: journalctl -u raha-worker.',
      en: 'Look at the worker: journalctl -u raha-worker.',
    },
  },
  ledger_not_proved_whole: {
    severity: 'ticket',
    fa: 'تمام دفتر دو روز است که اثبات نشده.',
    en: 'The whole ledger has not been proved, and held, for two days.',
    advice: { fa: 'raha ledger check', en: 'raha ledger check' },
  },
  worker_silent: {
    severity: 'page',
    fa: 'هیچ worker‌ای کار نمی‌کند: نامه، برگشت سرویس و جمع‌زدن مصرف می‌ماند.',
    en: 'No worker works: mails, restoring of service and the booking of usage wait.',
    advice: { fa: 'systemctl status raha-worker', en: 'systemctl status raha-worker' },
  },
  schedule_late: {
    severity: 'ticket',
    fa: 'کار دوره‌ای «{cause}» سه دوره است که انجام نشده.',
    en: 'The schedule “{cause}” has not run for three of its periods.',
    advice: {
      fa: 'journalctl -u raha-worker؛ دنبال «{cause}» بگردید.',
      en: 'journalctl -u raha-worker, and look for its name.',
    },
    isNamed: true,
  },
  jobs_late: {
    severity: 'page',
    fa: 'کارهای صف دیر شده‌اند: نامه و برگشت سرویس معطل است.',
    en: 'Jobs wait: mails and the restoring of service are late.',
    advice: { fa: 'journalctl -u raha-worker', en: 'journalctl -u raha-worker' },
  },
  jobs_failed: {
    severity: 'ticket',
    fa: '{figure} کار «{cause}» برای همیشه ناموفق ماند.',
    en: 'Jobs of {cause} that failed for good: {figure}.',
    advice: {
      fa: 'اگر نامه است، SMTP_URL را با raha doctor امتحان کنید.',
      en: 'If they are mails, try SMTP_URL with raha doctor.',
    },
    isNamed: true,
  },
  alert_undelivered: {
    severity: 'ticket',
    fa: 'هشدارها از راه {cause} نمی‌رسند.',
    en: 'Alerts do not get out by {cause}.',
    advice: { fa: 'raha alerts test', en: 'raha alerts test' },
    isNamed: true,
  },
  backup_old: {
    severity: 'page',
    fa: 'آخرین نسخهٔ پشتیبانِ بررسی‌شده بیش از ۲۶ ساعت پیش است.',
    en: 'The last verified backup is older than 26 hours.',
    advice: {
      fa: 'journalctl -u raha-backup، یا raha backup create و raha backup verify.',
      en: 'journalctl -u raha-backup, or raha backup create and raha backup verify.',
    },
  },
  node_silent: {
    severity: 'page',
    fa: 'سرور {cause} جواب نمی‌دهد.',
    en: 'The VPN server {cause} does not report.',
    advice: {
      fa: 'روی همان سرور journalctl -u raha-agent؛ اگر برنمی‌گردد، raha nodes revoke.',
      en: 'On that machine journalctl -u raha-agent; if it does not come back, raha nodes revoke.',
    },
  },
  relay_away: {
    severity: 'ticket',
    fa: 'واسط {cause} جواب نمی‌دهد؛ فایل‌های تازه بدون آن ساخته می‌شوند.',
    en: 'The relay {cause} does not answer; new files do without it.',
    advice: {
      fa: 'روی همان ماشین systemctl status raha-relay؛ اگر خود ماشین روشن است، شاید نشانی‌اش بسته شده: raha entries block.',
      en: 'On that machine systemctl status raha-relay; if it runs, its address may be blocked: raha entries block.',
    },
  },
  entry_taken_out: {
    severity: 'ticket',
    fa: 'ورودی {cause} بسته به نظر می‌رسید و قاعده آن را کنار گذاشت.',
    en: 'The entry {cause} looked blocked, and the rule took it out.',
    advice: {
      fa: 'raha entries list می‌گوید چرا. اگر باز است raha entries unblock؛ وگرنه واسط دیگری با raha relays add.',
      en: 'raha entries list says why. If it is open, raha entries unblock; if not, add another with raha relays add.',
    },
  },
  entry_suspect: {
    severity: 'page',
    fa: 'ورودی {cause} بسته به نظر می‌رسد و هنوز در فایل‌هاست.',
    en: 'The entry {cause} looks blocked, and is still in files.',
    advice: {
      fa: 'یا آخرین ورودی سرور است، یا بیشتر از این نمی‌شود کنار گذاشت، یا قاعده خاموش است: raha relays add و بعد raha entries block.',
      en: 'It is the last entry of its server, or too many are out already, or the rule is off: raha relays add, then raha entries block.',
    },
  },
  payments_to_review: {
    severity: 'ticket',
    fa: '{figure} پرداخت یک ساعت است که منتظر تصمیم شماست.',
    en: 'Payments that have needed a decision for an hour: {figure}.',
    advice: { fa: 'raha payments review', en: 'raha payments review' },
  },
  proposals_forgotten: {
    severity: 'ticket',
    fa: 'پیشنهادهایی که کسی درباره‌شان تصمیم نگرفته: {figure}',
    en: 'Proposals that nobody has decided yet: {figure}',
    advice: {
      fa: 'هر کدام را در «تأییدها» تأیید یا رد کنید. آنچه به وقت تصمیم نگیرید انجام نمی‌شود.',
      en: 'Approve or decline each of them under Approvals. What is not decided in time is not done.',
    },
    mailedTo: 'approvals.decide',
    screen: 'corrections',
  },
  payments_held: {
    severity: 'page',
    fa: 'از وقت بازگردانی، هیچ‌کس نمی‌تواند پرداخت کند.',
    en: 'Since a restore nobody can pay.',
    advice: { fa: 'raha payments release', en: 'raha payments release' },
  },
  no_payment_succeeds: {
    severity: 'page',
    fa: 'در نیم ساعت گذشته {figure} پرداخت شروع شد و هیچ‌کدام به کیف پول نرسید.',
    en: 'None of the payments begun in the last half hour was credited: {figure}.',
    advice: { fa: 'raha gateways list', en: 'raha gateways list' },
  },
  gateway_fails: {
    severity: 'page',
    fa: 'درگاه {cause} بیش از یک‌پنجم درخواست‌ها را بی‌جواب می‌گذارد.',
    en: '{cause} leaves more than a fifth of the calls without an answer.',
    advice: { fa: 'raha gateways off {cause}، اگر ادامه دارد.', en: 'raha gateways off {cause}, if it goes on.' },
    isNamed: true,
  },
  refunds_unknown: {
    severity: 'ticket',
    fa: 'معلوم نیست {figure} برگشت به کارت فرستاده شده یا نه.',
    en: 'Refunds that may have been sent or not: {figure}.',
    advice: { fa: 'raha refunds list', en: 'raha refunds list' },
  },
  settlement_differs: {
    severity: 'ticket',
    fa: 'دفتر و فایل تسویهٔ {cause} در {figure} مورد یکی نیستند.',
    en: 'Lines in which books and settlement files of {cause} differ: {figure}.',
    advice: { fa: 'raha settlements differences', en: 'raha settlements differences' },
    isNamed: true,
  },
  flag_overdue: {
    severity: 'ticket',
    fa: 'روزی که باید «{cause}» از انتشار تدریجی برداشته می‌شد گذشته است.',
    en: 'The day by which the flag {cause} was to be gone is over.',
    advice: {
      fa: 'با کسی که مسئولش است حرف بزنید: raha flags list. یا کدش را بردارید، یا با raha flags set --name {cause} --until روز تازه‌ای بگذارید.',
      en: 'Talk to its owner: raha flags list. Remove it from the code, or set another day: raha flags set --name {cause} --until 2027-12-31',
    },
  },
  rate_missing: {
    severity: 'page',
    fa: 'نرخ ارز نداریم: هیچ کارتی فعال نمی‌شود و هیچ سهمی قیمت ندارد.',
    en: 'There is no exchange rate: no card can be redeemed and no lease priced.',
    advice: { fa: 'raha rate set', en: 'raha rate set' },
  },
} as const satisfies Readonly<Record<string, Rule>>;

export type AlertRule = keyof typeof alertRules;

export function isAlertRule(word: string): word is AlertRule {
  return Object.hasOwn(alertRules, word);
}

/** The permission of those who get an alert of this rule by mail. */
export function mailedTo(rule: AlertRule): Permission {
  return (alertRules[rule] as Rule | undefined)?.mailedTo ?? 'alerts.act';
}

/** The screen of the console that is seen to about it, if it is another one than the inbox. */
export function screenOf(rule: AlertRule): string | undefined {
  return (alertRules[rule] as Rule).screen;
}

export interface AlertSubject {
  readonly rule: AlertRule;
  /** A schedule, a queue, a server, a gateway, a channel; empty if the rule has one cause only. */
  readonly cause: string;
  readonly figure: number | null;
}

/** First strong isolate and its end: a name in Latin letters keeps its order in a Persian sentence. */
const isolate = (text: string) => `\u2068${text}\u2069`;

/** The sentence of an alert, and what to do about it. */
export function describeAlert(
  { rule, cause, figure }: AlertSubject,
  locale: Locale,
): { title: string; advice: string } {
  const { [locale]: title, advice, isNamed } = alertRules[rule] as Rule;
  const name = isNamed ? nameOfCause(cause, locale) : cause;
  const number = new Intl.NumberFormat(locale === 'fa' ? 'fa-IR' : 'en').format(figure ?? 0);
  const fill = (text: string, word: string) => text.replaceAll('{cause}', word).replaceAll('{figure}', number);
  return { title: fill(title, locale === 'fa' ? isolate(name) : name), advice: fill(advice[locale], cause) };
}
