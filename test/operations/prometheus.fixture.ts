import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, type StackUnderTest } from '@gateway/testing';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { eventually } from '../integration/stack.fixture.ts';
import { requireProgram } from '../../tools/bootstrap/stack/programs.ts';
import { root } from './dockerfile.fixture.ts';

const configuration = z.looseObject({
  global: z.strictObject({ scrape_interval: z.string(), evaluation_interval: z.string() }),
  scrape_configs: z
    .array(z.looseObject({ static_configs: z.array(z.strictObject({ targets: z.array(z.string()) })) }))
    .length(1),
});

const ruleGroups = z.looseObject({
  data: z.object({
    groups: z.array(
      z.looseObject({
        rules: z.array(
          z.looseObject({
            name: z.string(),
            health: z.string(),
            lastError: z.string().optional(),
            state: z.enum(['inactive', 'pending', 'firing']),
            alerts: z.array(z.looseObject({ state: z.string(), labels: z.record(z.string(), z.string()) })),
          }),
        ),
      }),
    ),
  }),
});
export type Rule = z.output<typeof ruleGroups>['data']['groups'][number]['rules'][number];

const metadata = z.looseObject({ data: z.array(z.looseObject({ metric: z.string(), type: z.string() })) });
const queryResult = z.looseObject({
  status: z.literal('success'),
  data: z.looseObject({ result: z.array(z.looseObject({})) }),
});

export interface Prometheus {
  rules(): Promise<Rule[]>;
  /** Returns the names of all scraped time series. Each histogram has three time series. */
  series(): Promise<Set<string>>;
  /**
   * Returns the number of time series that a PromQL expression currently selects. Rejects if the expression
   * is invalid.
   */
  count(expression: string): Promise<number>;
  stop(): Promise<void>;
}

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Divides the durations in a Prometheus file (`15s`, `[5m]`) by a factor. */
export function shortenDurations(text: string, factor: number): string {
  return text.replaceAll(
    /(?<before>\[|for: |interval: )(?<count>\d+)(?<unit>ms|s|m|h)\b/g,
    (_, before: string, count: string, unit: keyof typeof unitMs) =>
      `${before}${Math.round((Number(count) * unitMs[unit]) / factor)}ms`,
  );
}

/** Copies deploy/prometheus, with changed process addresses and a changed time scale. */
function renderConfiguration(stack: StackUnderTest, rulesFile: string, factor: number): string {
  const text = readFileSync(join(root, 'deploy/prometheus/prometheus.yaml'), 'utf8');
  const parsed = configuration.parse(parse(shortenDurations(text, factor)));
  const wanted = parsed.scrape_configs.flatMap(({ static_configs: all }) =>
    all.flatMap((each) => each.targets),
  );
  const targets = Object.entries(stack.dev.services)
    .filter(([name]) => wanted.includes(`${name.replace(/-\d+$/, '')}:9090`))
    .flatMap(([, { metrics_url }]) => (metrics_url === null ? [] : [new URL(metrics_url).host]));
  const scrape_configs = parsed.scrape_configs.map((each) => ({ ...each, static_configs: [{ targets }] }));
  return stringify({ ...parsed, rule_files: [rulesFile], scrape_configs });
}

/**
 * Starts Debian's Prometheus with the rules in deploy/. Prometheus scrapes all processes of a stack. Time
 * runs `factor` times faster for Prometheus.
 */
export async function startPrometheus(stack: StackUnderTest, factor: number): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), 'agent-gateway-prometheus-'));
  const rulesFile = join(directory, 'alerts.yaml');
  const configFile = join(directory, 'prometheus.yaml');
  const rules = readFileSync(join(root, 'deploy/prometheus/alerts.yaml'), 'utf8');
  writeFileSync(rulesFile, shortenDurations(rules, factor));
  writeFileSync(configFile, renderConfiguration(stack, rulesFile, factor));
  const port = await findFreePort();
  const child = spawn(
    requireProgram('prometheus'),
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${join(directory, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (text) => (said += String(text)));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ask = (path: string) => askJson(`http://127.0.0.1:${port}${path}`);
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus has ended:\n${said}`);
    const answer = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => null);
    return answer?.ok ? true : undefined;
  }, 60_000);
  return {
    rules: async () =>
      ruleGroups.parse(await ask('/api/v1/rules?type=alert')).data.groups.flatMap((group) => group.rules),
    series: async () => listSeriesOf(metadata.parse(await ask('/api/v1/targets/metadata')).data),
    count: async (expression) =>
      queryResult.parse(await ask(`/api/v1/query?query=${encodeURIComponent(expression)}`)).data.result
        .length,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function askJson(url: string): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(30_000) });
  return answer.json();
}

function listSeriesOf(metrics: readonly { metric: string; type: string }[]): Set<string> {
  const names = metrics.flatMap(({ metric, type }) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${metric}_${part}`) : [metric],
  );
  return new Set(['up', ...names]);
}
