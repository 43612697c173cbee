import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '@gateway/observability';
import { parse } from 'yaml';
import { z } from 'zod';
import { installTestPrograms, prometheusProgram } from '../operations/programs.fixture.ts';
import { renderOverlay, root } from './kustomize.fixture.ts';
import { alertsFile, listSeries, panels, rules } from './series.fixture.ts';

function readSources(): string {
  return ['apps', 'libs']
    .flatMap((directory) =>
      readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(root, directory, file),
      ),
    )
    .filter((file) => file.endsWith('.ts') && !/\.(spec|fixture)\.ts$|generated\//.test(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
}

/**
 * Returns all time series that a process can export, which are metrics named in the code, runtime metrics,
 * and `up`.
 */
async function listExportedSeries(): Promise<Set<string>> {
  const made = [
    ...readSources().matchAll(/\.(?<type>counter|gauge|histogram)\(\{\s*name: '(?<name>[a-z_]+)'/g),
  ].flatMap(({ groups }) => {
    const name = groups?.['name'] ?? '';
    return groups?.['type'] === 'histogram'
      ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`)
      : [name];
  });
  const { body } = await createMetrics('test').render();
  const runtime = [...body.matchAll(/^# TYPE (?<name>\w+) (?<type>\w+)$/gm)].flatMap(({ groups }) => {
    const name = groups?.['name'] ?? '';
    return groups?.['type'] === 'histogram'
      ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`)
      : [name];
  });
  return new Set(['up', ...made, ...runtime]);
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

describe('alerts', () => {
  test.each(rules)('the alert $alert uses only exported series', async ({ expr }) => {
    const exported = await listExportedSeries();
    expect(listSeries(expr).filter((name) => !exported.has(name))).toEqual([]);
    expect(listSeries(expr)).not.toEqual([]);
  });

  test.each(rules)('the alert $alert links to an existing runbook entry', ({ annotations }) => {
    const [page = '', anchor] = annotations.runbook.split('#');
    const headings = [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (?<title>.+)$/gm)];
    expect(headings.map(({ groups }) => anchorOf(groups?.['title'] ?? ''))).toContain(anchor);
  });

  test('Prometheus accepts the rules, and the rule tests pass', async () => {
    await installTestPrograms([prometheusProgram]);
    const check = spawnSync('promtool', ['check', 'rules', alertsFile], { encoding: 'utf8' });
    expect([check.status, check.stderr]).toEqual([0, '']);
    const units = join(root, 'test/k8s/alerts.promtool.yaml');
    const run = spawnSync('promtool', ['test', 'rules', units], { encoding: 'utf8' });
    expect([run.status, run.stdout]).toEqual([0, expect.stringContaining('SUCCESS')]);
  }, 240_000);
});

test.each(panels)('the panel “$title” uses only exported series', async ({ targets }) => {
  const exported = await listExportedSeries();
  for (const { expr } of targets) {
    expect(listSeries(expr).filter((name) => !exported.has(name))).toEqual([]);
    expect(listSeries(expr)).not.toEqual([]);
  }
});

const adapterRules = z.array(
  z.looseObject({
    seriesQuery: z.string(),
    name: z.strictObject({ as: z.string() }),
    metricsQuery: z.string(),
  }),
);
const scaling = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    metrics: z.array(
      z.looseObject({
        pods: z.looseObject({ metric: z.strictObject({ name: z.string() }) }).optional(),
        external: z.looseObject({ metric: z.strictObject({ name: z.string() }) }).optional(),
      }),
    ),
  }),
});

test('each autoscaler uses a metric that the adapter derives from an exported series', async () => {
  const manifests = renderOverlay('production');
  const config = manifests.find(({ metadata }) => metadata.name === 'agent-gateway-adapter-rules');
  const { data } = z.looseObject({ data: z.record(z.string(), z.string()) }).parse(config);
  const adapter = z
    .strictObject({ rules: adapterRules, externalRules: adapterRules })
    .parse(parse(data['config.yaml'] ?? ''));
  const exported = await listExportedSeries();
  for (const { seriesQuery } of [...adapter.rules, ...adapter.externalRules])
    expect(exported).toContain(seriesQuery.split('{')[0]);
  const scalings = manifests
    .filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
    .map((object) => scaling.parse(object));
  const asked = scalings.flatMap(({ spec }) => spec.metrics.flatMap(({ pods }) => pods?.metric.name ?? []));
  const askedOutside = scalings.flatMap(({ spec }) =>
    spec.metrics.flatMap(({ external }) => external?.metric.name ?? []),
  );
  expect(asked.sort()).toEqual(adapter.rules.map(({ name }) => name.as).sort());
  expect(askedOutside).toEqual(adapter.externalRules.map(({ name }) => name.as));
});

const collector = z
  .looseObject({
    receivers: z.record(z.string(), z.unknown()),
    processors: z.record(z.string(), z.unknown()),
    exporters: z.record(z.string(), z.unknown()),
    service: z.looseObject({
      pipelines: z.strictObject({
        traces: z.strictObject({
          receivers: z.array(z.string()),
          processors: z.array(z.string()),
          exporters: z.array(z.string()),
        }),
      }),
    }),
  })
  .parse(parse(readFileSync(join(root, 'deploy/otel/collector.yaml'), 'utf8')));

test('the collector keeps complete traces of failed and slow requests, and removes content before the export', () => {
  const { traces } = collector.service.pipelines;
  for (const part of ['receivers', 'processors', 'exporters'] as const)
    expect(Object.keys(collector[part]).sort()).toEqual([...traces[part]].sort());
  const order = traces.processors.map((name) => name.split('/')[0]);
  expect(order).toEqual(['memory_limiter', 'attributes', 'tail_sampling', 'batch']);
  expect(collector.processors['tail_sampling']).toMatchObject({
    policies: [{ type: 'status_code' }, { type: 'latency' }, { type: 'probabilistic' }],
  });
});
