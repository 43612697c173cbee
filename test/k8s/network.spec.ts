import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractTable } from '@gateway/contracts';
import { z } from 'zod';
import { overlays, renderOverlay, root, type Manifest } from './kustomize.fixture.ts';
import { listWorkloads, type Workload } from './workloads.fixture.ts';

const selector = z.strictObject({
  matchLabels: z.record(z.string(), z.string()).optional(),
  matchExpressions: z
    .array(z.strictObject({ key: z.string(), operator: z.literal('In'), values: z.array(z.string()) }))
    .optional(),
});
type Selector = z.output<typeof selector>;
const peer = z.strictObject({
  podSelector: selector.optional(),
  namespaceSelector: selector.optional(),
  ipBlock: z.strictObject({ cidr: z.string(), except: z.array(z.string()).optional() }).optional(),
});
const ports = z.array(z.strictObject({ port: z.union([z.number(), z.string()]), protocol: z.string() }));
const policy = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.strictObject({
    podSelector: selector,
    policyTypes: z.array(z.enum(['Ingress', 'Egress'])),
    ingress: z.array(z.strictObject({ from: z.array(peer), ports })).optional(),
    egress: z.array(z.strictObject({ to: z.array(peer), ports })).optional(),
  }),
});
type Policy = z.output<typeof policy>;

const listPolicies = (manifests: readonly Manifest[]): Policy[] =>
  manifests.filter(({ kind }) => kind === 'NetworkPolicy').map((object) => policy.parse(object));

function isSelected({ matchLabels = {}, matchExpressions = [] }: Selector, { labels }: Workload): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

/** Returns the network connections listed in the documentation page's table, as [from, to]. */
function readDocumentedArrows(): string[] {
  const page = readFileSync(join(root, 'docs/operations/running.md'), 'utf8');
  const section = /^## Network connections between processes$([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  return section
    .split('\n')
    .filter((line) => /^\| `/.test(line))
    .flatMap((line) => {
      const [, from = '', to = ''] = line.split('|').map((cell) => cell.replaceAll('`', '').trim());
      return from.split(', ').map((each) => `${each} → ${to}`);
    });
}

/** Returns the network connections that follow from the contracts and each process's environment variables. */
function deriveArrows(workloads: readonly Workload[]): string[] {
  const onTheBus = new Set(
    contractTable.flatMap((contract) =>
      contract.kind === 'rpc'
        ? [contract.server, ...contract.callers]
        : [contract.publisher, ...contract.listeners],
    ),
  );
  return workloads
    .filter(({ component }) => component !== 'data')
    .flatMap((each) => {
      const has = (pattern: RegExp) => each.container.env.some(({ name }) => pattern.test(name));
      return [
        ...([...onTheBus] as string[]).filter((name) => name === each.name).map(() => 'nats'),
        ...(has(/_DATABASE_URL$/) ? ['postgres'] : []),
        ...(has(/^REDIS_URL$/) ? ['redis'] : []),
        ...(has(/^REDIS_CACHE_URL$/) ? ['redis-cache'] : []),
        ...(has(/^SANDBOX_URL$/) ? ['sandbox-provider'] : []),
        ...(each.name === 'edge-gateway' ? ['providers'] : []),
      ].map((to) => `${each.name} → ${to}`);
    })
    .sort();
}

/**
 * Returns the network connections that the egress policies allow. Each policy is named after its connection,
 * as `<from>-to-<to>`.
 */
function listAllowedArrows(policies: readonly Policy[]): string[] {
  return policies
    .filter(({ spec, metadata }) => spec.egress !== undefined && !metadata.name.startsWith('all-to-'))
    .map(({ metadata }) => metadata.name.replace('-to-', ' → '))
    .sort();
}

describe.each(overlays)('overlay %s', (overlay) => {
  const manifests = renderOverlay(overlay);
  const policies = listPolicies(manifests);
  const workloads = listWorkloads(manifests);

  test('the overlay denies all inbound and outbound connections that no policy allows', () => {
    const deny = policies.find(({ metadata }) => metadata.name === 'default-deny');
    expect(deny?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  test('the policies allow exactly the connections that contracts and configuration require', () => {
    expect(listAllowedArrows(policies)).toEqual(deriveArrows(workloads));
  });

  test('each policy selects the pods in its name and allows one port on its target', () => {
    for (const { metadata, spec } of policies) {
      if (spec.egress === undefined || metadata.name.startsWith('all-to-')) continue;
      const [from = '', to = ''] = metadata.name.split('-to-');
      const chosen = workloads.filter((each) => isSelected(spec.podSelector, each));
      expect(chosen.map(({ name }) => name)).toEqual([from]);
      expect(spec.egress).toHaveLength(1);
      const [rule] = spec.egress;
      expect(rule?.ports).toHaveLength(1);
      for (const { podSelector, ipBlock, namespaceSelector } of rule?.to ?? []) {
        expect(namespaceSelector).toBeUndefined();
        if (podSelector !== undefined)
          expect(workloads.filter((each) => isSelected(podSelector, each)).map(({ name }) => name)).toEqual([
            to,
          ]);
        else expect(ipBlock).toBeDefined();
      }
    }
  });

  test('each process accepts connections only from its callers', () => {
    const arrows = deriveArrows(workloads);
    const called = workloads.filter(({ name }) => arrows.some((arrow) => arrow.endsWith(` → ${name}`)));
    for (const target of called) {
      const callers = arrows.filter((arrow) => arrow.endsWith(` → ${target.name}`));
      const peers = policies
        .filter(({ spec, metadata }) => metadata.name !== 'prometheus-to-all' && spec.ingress !== undefined)
        .filter(({ spec }) => isSelected(spec.podSelector, target))
        .flatMap(({ spec }) => (spec.ingress ?? []).flatMap(({ from }) => from));
      const admitted = workloads.filter((each) =>
        peers.some(({ podSelector }) => podSelector !== undefined && isSelected(podSelector, each)),
      );
      expect(admitted.map(({ name }) => `${name} → ${target.name}`).sort()).toEqual(callers);
    }
  });

  test('clients reach only the edge, and no provider may have a private address', () => {
    const open = policies.filter(({ spec }) =>
      (spec.ingress ?? []).some(({ from }) => from.some(({ ipBlock }) => ipBlock !== undefined)),
    );
    expect(open.map(({ metadata }) => metadata.name)).toEqual(['clients-to-edge-gateway']);
    const outward = policies.find(({ metadata }) => metadata.name === 'edge-gateway-to-providers');
    expect(outward?.spec.egress?.[0]?.to[0]?.ipBlock?.except).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']),
    );
  });

  test('only Prometheus reaches the metrics and health endpoints', () => {
    const toHealth = policies.filter(({ spec }) =>
      (spec.ingress ?? []).some((rule) => rule.ports.some(({ port }) => port === 'health')),
    );
    const expected = overlay === 'dev' ? [] : ['prometheus-to-all'];
    expect(toHealth.map(({ metadata }) => metadata.name)).toEqual(expected);
  });
});

test('the documentation page lists exactly the connections that the policies allow', () => {
  expect(readDocumentedArrows().sort()).toEqual(deriveArrows(listWorkloads(renderOverlay('dev'))));
});
