import { z } from 'zod';
import { renderDevSecrets } from './dev-secrets.fixture.ts';
import { overlays, renderOverlay, type Manifest } from './kustomize.fixture.ts';
import { findVariable, listSecretReferences, listWorkloads, type Workload } from './workloads.fixture.ts';

/**
 * The maximum time in seconds that a stopping edge needs after its streams have ended. An edge needs
 * `shipTimeMs` (main.ts) plus a margin.
 */
const afterDrainSeconds = 10;

const scaling = z.looseObject({
  spec: z.looseObject({
    scaleTargetRef: z.looseObject({ kind: z.string(), name: z.string() }),
    minReplicas: z.number(),
    maxReplicas: z.number(),
  }),
});
const budget = z.looseObject({
  spec: z.looseObject({
    maxUnavailable: z.number(),
    selector: z.strictObject({ matchLabels: z.record(z.string(), z.string()) }),
  }),
});

const ofKind = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((object) => object.kind === kind);
const scalings = (manifests: readonly Manifest[]) =>
  ofKind(manifests, 'HorizontalPodAutoscaler').map((object) => scaling.parse(object).spec);
const isScaled = (manifests: readonly Manifest[], { name, kind }: Workload) =>
  scalings(manifests).some(
    ({ scaleTargetRef }) => scaleTargetRef.name === name && scaleTargetRef.kind === kind,
  );

describe.each(overlays)('overlay %s', (overlay) => {
  const manifests = renderOverlay(overlay);
  const workloads = listWorkloads(manifests);
  const services = workloads.filter(({ component }) => component === 'service');
  const edge = workloads.find(({ name }) => name === 'edge-gateway');
  if (edge === undefined) throw new Error('There is no edge.');

  test('the namespace enforces restricted Pod Security', () => {
    const [namespace] = ofKind(manifests, 'Namespace');
    expect(namespace?.metadata.labels?.['pod-security.kubernetes.io/enforce']).toBe('restricted');
  });

  test.each(workloads)(
    '$kind $name satisfies restricted Pod Security, with a read-only file system',
    (each) => {
      expect(each.pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(each.pod.securityContext?.['runAsUser']).toBeGreaterThan(0);
      expect(each.container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      for (const key of ['hostNetwork', 'hostPID', 'hostIPC']) expect(each.pod[key]).toBeUndefined();
      for (const volume of each.pod.volumes)
        expect(Object.keys(volume).find((key) => key !== 'name')).toMatch(/^(emptyDir|secret|configMap)$/);
    },
  );

  test.each(workloads)(
    'each volume of $kind $name has a size limit and is in memory or on the node, including /tmp',
    (each) => {
      for (const { emptyDir } of each.pod.volumes) if (emptyDir) expect(emptyDir.sizeLimit).toBeDefined();
      expect(each.container.volumeMounts.map(({ mountPath }) => mountPath)).toContain('/tmp');
    },
  );

  test.each(workloads)('$kind $name runs under its own service account without a token', (each) => {
    expect(each.pod.automountServiceAccountToken).toBe(false);
    const account = ofKind(manifests, 'ServiceAccount').find(
      ({ metadata }) => metadata.name === each.pod.serviceAccountName,
    );
    expect(account?.['automountServiceAccountToken']).toBe(false);
    if (each.component === 'service') expect(each.pod.serviceAccountName).toBe(each.name);
  });

  test('no service account has cluster permissions', () => {
    expect(manifests.filter(({ apiVersion }) => apiVersion.startsWith('rbac.'))).toEqual([]);
  });

  test.each(workloads)('$kind $name requests CPU and memory, and has a memory limit', (each) => {
    expect(Object.keys(each.container.resources?.requests ?? {}).sort()).toEqual(['cpu', 'memory']);
    expect(each.container.resources?.limits['memory']).toBeDefined();
  });

  test.each(services)('$name has separate liveness and readiness probes', ({ container }) => {
    expect(container.startupProbe?.httpGet).toEqual({ path: '/health/live', port: 'health' });
    expect(container.livenessProbe?.httpGet).toEqual({ path: '/health/live', port: 'health' });
    expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'health' });
    expect(container['ports']).toContainEqual({ name: 'health', containerPort: 9090 });
  });

  test.each(services)('the pods of $name are spread across zones and nodes', ({ pod }) => {
    expect(pod.topologySpreadConstraints.map(({ topologyKey }) => topologyKey)).toEqual([
      'topology.kubernetes.io/zone',
      'kubernetes.io/hostname',
    ]);
  });

  test.each(services.filter(({ name }) => name !== 'sandbox-provider'))(
    '$name has an autoscaler, no fixed replica count, and a disruption budget of one pod',
    (each) => {
      expect(isScaled(manifests, each)).toBe(true);
      expect(each.replicas).toBeUndefined();
      const budgets = ofKind(manifests, 'PodDisruptionBudget').map((object) => budget.parse(object).spec);
      const own = budgets.filter(
        ({ selector }) => selector.matchLabels['app.kubernetes.io/name'] === each.name,
      );
      expect(own).toMatchObject([{ maxUnavailable: 1 }]);
    },
  );

  test('the termination grace period of the edge is longer than the edge waits for open streams', () => {
    const preStopSeconds = edge.container.lifecycle?.preStop.sleep.seconds ?? 0;
    const drainSeconds = Number(findVariable(edge, 'DRAIN_TIMEOUT_MS')) / 1_000;
    expect(preStopSeconds).toBeGreaterThanOrEqual(5);
    expect(edge.pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      preStopSeconds + drainSeconds + afterDrainSeconds,
    );
  });

  test('a stopping edge waits for open streams as long as a stream may be silent', () => {
    // UPSTREAM_TIMEOUT_MS keeps its default of ten minutes.
    expect(findVariable(edge, 'UPSTREAM_TIMEOUT_MS') ?? '600000').toBe(
      findVariable(edge, 'DRAIN_TIMEOUT_MS'),
    );
  });

  test('the spool survives container and pod restarts', () => {
    const directory = findVariable(edge, 'SPOOL_DIR');
    const mount = edge.container.volumeMounts.find(({ mountPath }) => mountPath === directory);
    expect(edge.kind).toBe('StatefulSet');
    expect(edge.claims).toContain(mount?.name);
  });

  test('secrets are passed by reference only', () => {
    expect(ofKind(manifests, 'Secret')).toEqual([]);
    const text = JSON.stringify(manifests);
    expect(text).not.toMatch(/BEGIN [A-Z ]*PRIVATE KEY|:\/\/[^/"@]+:[^/"@]+@/);
    for (const { container } of workloads)
      for (const { name, value } of container.env)
        if (/PASSWORD|SECRET|PEPPER|_KEK$|DATABASE_URL|REDIS/.test(name))
          expect([name, value]).toEqual([name, undefined]);
  });

  test('services do not share secrets', () => {
    const users = new Map<string, Set<string>>();
    for (const each of services)
      for (const name of listSecretReferences([each]).keys())
        users.set(name, (users.get(name) ?? new Set()).add(each.name));
    // The certificate authority's own certificate is public, so services may share it.
    users.delete('agent-gateway-ca');
    for (const [name, names] of users) expect([name, [...names]]).toEqual([name, [[...names][0]]]);
  });

  test('a migration has limits on retries and run time', () => {
    const jobs = ofKind(manifests, 'Job');
    expect(jobs.map(({ metadata }) => metadata.name).sort()).toEqual([
      'migrate-account',
      'migrate-billing',
      'migrate-telemetry',
      'migrate-vault',
    ]);
    for (const { spec } of jobs) expect(spec).toMatchObject({ backoffLimit: 6, activeDeadlineSeconds: 900 });
  });
});

test('every service has at least two pods outside development', () => {
  for (const overlay of ['staging', 'production'] as const)
    for (const { minReplicas, scaleTargetRef } of scalings(renderOverlay(overlay)))
      expect([overlay, scaleTargetRef.name, minReplicas >= 2]).toEqual([overlay, scaleTargetRef.name, true]);
});

const externalSecret = z.looseObject({
  spec: z.looseObject({
    target: z.looseObject({ name: z.string() }),
    data: z.array(z.looseObject({ secretKey: z.string() })),
  }),
});

function isProvided(references: Map<string, Set<string>>, provided: ReadonlyMap<string, readonly string[]>) {
  return [...references].flatMap(([name, keys]) =>
    [...keys]
      .filter((key) => (key === '*' ? !provided.has(name) : !provided.get(name)?.includes(key)))
      .map((key) => `${name}/${key}`),
  );
}

test.each(['staging', 'production'] as const)(
  'the overlay %s reads every secret that it needs from the secret store',
  (overlay) => {
    const manifests = renderOverlay(overlay);
    const provided = new Map(
      ofKind(manifests, 'ExternalSecret').map((object) => {
        const { target, data } = externalSecret.parse(object).spec;
        return [target.name, data.map(({ secretKey }) => secretKey)] as const;
      }),
    );
    // cert-manager writes the edge's TLS secret.
    // The operator of the cluster creates the certificate authority's secret.
    for (const name of ['edge-gateway-tls', 'agent-gateway-ca']) provided.set(name, []);
    expect(isProvided(listSecretReferences(listWorkloads(manifests)), provided)).toEqual([]);
  },
);

test('`npm run k8s:prepare` writes every secret that the dev overlay needs', () => {
  const provided = new Map(
    renderDevSecrets().map(({ metadata, stringData }) => [metadata.name, Object.keys(stringData)] as const),
  );
  expect(isProvided(listSecretReferences(listWorkloads(renderOverlay('dev'))), provided)).toEqual([]);
});
