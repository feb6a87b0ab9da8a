import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildWorkerApp } from '../src/app/build-worker-app.ts';
import { enrolFakeNode } from './fake-node.ts';
import { healthy, provoked } from './provoked-alerts.ts';
import { openTestWorld, type TestWorld } from './world.ts';

/** The alerts and the dashboard that are shipped (production P10). */
const directory = join(import.meta.dirname, '../../deploy/monitoring');
const rulesText = readFileSync(join(directory, 'raha.rules.yml'), 'utf8');
const alerts = [...rulesText.matchAll(/^ {6}- alert: (\w+)$([\s\S]*?)summary: '([^']+)'/gm)].map(
  ([, name = '', rule = '', summary = '']) => ({ name, rule, summary }),
);
/** Of other programs, which an operator may run beside Raha. */
const ofOthers = /^(up|pg_stat_archiver_failed_count|patroni_sync_standby|node_filesystem_avail_bytes)$/;
const scratch = mkdtempSync(join(tmpdir(), 'raha-alerts-'));
let world: TestWorld;
let exported: ReadonlySet<string>;

beforeAll(async () => {
  world = await openTestWorld();
  await enrolFakeNode(world);
  const worker = await buildWorkerApp(world.deps, { isLeading: () => true });
  const pages = [
    await (await fetch(`${world.origin}/metrics`)).text(),
    (await worker.inject({ url: '/metrics', headers: { host: '127.0.0.1' } })).body,
  ];
  await worker.close();
  exported = new Set(
    pages.flatMap((page) =>
      [...page.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    ),
  );
});
afterAll(async () => {
  await world.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Names in an expression that stand where a metric stands. */
function metricsOf(expression: string): string[] {
  const words =
    /\b(?:and|or|by|on|offset|max|min|sum|rate|increase|delta|time|absent|le|histogram_quantile|predict_linear)\b/;
  const bare = expression
    .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\bby \([^)]*\)/g, ' ')
    .replaceAll(/\boffset \w+/g, ' ');
  return [...bare.matchAll(/[a-z_]\w*/g)]
    .map(([word]) => word)
    .filter((word) => !words.test(word) && !/^e\d/.test(word));
}

describe('every metric is exported', () => {
  test('that an alert asks for', () => {
    const asked = [...rulesText.matchAll(/expr: (?:>-\n)?([\s\S]*?)\n {8}(?=for|labels)/g)].flatMap(([, text = '']) =>
      metricsOf(text),
    );
    expect(asked.length).toBeGreaterThanOrEqual(alerts.length);
    expect(asked.filter((name) => !exported.has(name) && !ofOthers.test(name))).toEqual([]);
  });

  test('that the dashboard shows', () => {
    const dashboard = readFileSync(join(directory, 'raha.dashboard.json'), 'utf8');
    const asked = [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].flatMap(([, text = '']) =>
      metricsOf(JSON.parse(`"${text}"`)),
    );
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((name) => !exported.has(name) && !ofOthers.test(name))).toEqual([]);
    expect(JSON.parse(dashboard)).toMatchObject({ title: 'Raha' });
  });
});

test('figures are read from the database, and have no label that names a user', async () => {
  const text = await (await fetch(`${world.origin}/metrics`)).text();
  expect(text).toMatch(/^vpn_node_online\{node="node-\d+"\} 1$/m);
  expect(text).toMatch(/^exchange_rate_served 1$/m);
  expect(text).not.toMatch(/[{,](user|email|config|payment)\w*=/i);
});

/** From Debian's package `prometheus`, which `npm test` installs. */
const promtool = (...args: string[]) => spawnSync('promtool', args, { encoding: 'utf8' });

describe('promtool', () => {
  test('accepts the rules and the example', () => {
    for (const [kind, file] of [
      ['rules', 'raha.rules.yml'],
      ['config', 'prometheus.yml'],
    ] as const) {
      const { status, stderr } = promtool('check', kind, join(directory, file));
      expect([status, stderr]).toEqual([0, expect.not.stringMatching(/FAILED|error/i)]);
    }
  });

  test('each alert is provoked once, and none fires while nothing is wrong', { timeout: 180_000 }, () => {
    expect(provoked.map(({ alert }) => alert)).toEqual(alerts.map(({ name }) => name));
    const toSeries = (all: Readonly<Record<string, string>>) =>
      Object.entries(all).map(([series, values]) => ({ series, values }));
    const tests = provoked.map(({ alert, series, atMinutes, labels = {} }) => {
      const { rule = '', summary = '' } = alerts.find(({ name }) => name === alert) ?? {};
      const severity = /severity: (\w+)/.exec(rule)?.[1] ?? '';
      const text = summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => (labels as never)[name]);
      return {
        interval: '1m',
        input_series: toSeries(series),
        alert_rule_test: [
          {
            eval_time: `${atMinutes}m`,
            alertname: alert,
            exp_alerts: [{ exp_labels: { ...labels, severity }, exp_annotations: { summary: text } }],
          },
        ],
      };
    });
    const quiet = {
      interval: '1m',
      input_series: toSeries(healthy),
      alert_rule_test: alerts.map(({ name }) => ({ eval_time: '110m', alertname: name, exp_alerts: [] })),
    };
    // What takes hours to be provoked is looked at every ten minutes only.
    const isLong = (one: (typeof tests)[number]) =>
      one.alert_rule_test.some(({ eval_time }) => Number.parseInt(eval_time, 10) > 200);
    runTests('1m', [...tests.filter((one) => !isLong(one)), quiet]);
    runTests('10m', tests.filter(isLong));
  });

  function runTests(every: string, tests: readonly object[]): void {
    const file = join(scratch, `alerts-${every}.test.yml`);
    // JSON is YAML, too.
    const rules = [join(directory, 'raha.rules.yml')];
    writeFileSync(file, JSON.stringify({ rule_files: rules, evaluation_interval: every, tests }));
    const { status, stdout, stderr } = promtool('test', 'rules', file);
    expect(`${stdout}${stderr}`).toMatch(/SUCCESS/);
    expect(status).toBe(0);
  }
});
