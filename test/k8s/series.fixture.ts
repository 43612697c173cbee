import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from './kustomize.fixture.ts';

export const alertsFile = join(root, 'deploy/prometheus/alerts.yaml');

/** The alert rules in deploy/prometheus/alerts.yaml. */
export const rules = z
  .strictObject({
    groups: z.array(
      z.strictObject({
        name: z.string(),
        rules: z.array(
          z.strictObject({
            alert: z.string(),
            expr: z.string(),
            for: z.string().optional(),
            labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
            annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
          }),
        ),
      }),
    ),
  })
  .parse(parse(readFileSync(alertsFile, 'utf8')))
  .groups.flatMap((group) => group.rules);

/** The dashboard panels in deploy/grafana/gateway.json. */
export const { panels } = z
  .looseObject({
    panels: z.array(
      z.looseObject({ title: z.string(), targets: z.array(z.looseObject({ expr: z.string() })) }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(root, 'deploy/grafana/gateway.json'), 'utf8')));

/**
 * Returns the time series names in a PromQL expression. A name is a word before a selector, a range or an
 * operator. Excludes functions, keywords and labels.
 */
export function listSeries(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
  return [...bare.matchAll(/\b(?<name>[a-z_][a-z0-9_]*)\b(?!\s*\()/gi)]
    .map(({ groups }) => groups?.['name'] ?? '')
    .filter((name) => !/^(by|without|on|ignoring|and|or|unless|e\d+)$/.test(name));
}
