import { z } from 'zod';
import type { Manifest } from './kustomize.fixture.ts';

const variable = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .strictObject({ secretKeyRef: z.strictObject({ name: z.string(), key: z.string() }) })
    .optional(),
});
const probe = z.looseObject({
  httpGet: z.strictObject({ path: z.string(), port: z.string() }).optional(),
});
const container = z.looseObject({
  name: z.string(),
  image: z.string(),
  env: z.array(variable).default([]),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  lifecycle: z
    .strictObject({ preStop: z.strictObject({ sleep: z.strictObject({ seconds: z.number() }) }) })
    .optional(),
  resources: z
    .strictObject({ requests: z.record(z.string(), z.string()), limits: z.record(z.string(), z.string()) })
    .optional(),
  securityContext: z.looseObject({}).optional(),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })).default([]),
});
const volume = z.looseObject({
  name: z.string(),
  emptyDir: z.looseObject({ sizeLimit: z.string().optional() }).optional(),
  secret: z.looseObject({ secretName: z.string() }).optional(),
  configMap: z.looseObject({ name: z.string() }).optional(),
});
const pod = z.looseObject({
  serviceAccountName: z.string(),
  automountServiceAccountToken: z.boolean().optional(),
  terminationGracePeriodSeconds: z.number().optional(),
  securityContext: z.looseObject({}).optional(),
  topologySpreadConstraints: z.array(z.looseObject({ topologyKey: z.string() })).default([]),
  containers: z.array(container).length(1),
  initContainers: z.undefined().optional(),
  volumes: z.array(volume).default([]),
});
const workload = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({
    replicas: z.number().optional(),
    template: z.looseObject({
      metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
      spec: pod,
    }),
    volumeClaimTemplates: z
      .array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) }))
      .default([]),
  }),
});

/** A Deployment, StatefulSet or Job, and the single container of its pods. */
export interface Workload {
  readonly name: string;
  readonly kind: string;
  /** The kind of component, which is `service`, `data` or `migration`. */
  readonly component: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly replicas: number | undefined;
  readonly pod: z.output<typeof pod>;
  readonly container: z.output<typeof container>;
  /** The names of volumes that outlive the pod. */
  readonly claims: readonly string[];
}

const workloadKinds = ['Deployment', 'StatefulSet', 'Job'];

export function listWorkloads(manifests: readonly Manifest[]): Workload[] {
  return manifests
    .filter(({ kind }) => workloadKinds.includes(kind))
    .map((object) => {
      const { kind, metadata, spec } = workload.parse(object);
      const { labels } = spec.template.metadata;
      const [only] = spec.template.spec.containers;
      if (only === undefined) throw new Error(`${metadata.name} has no container.`);
      return {
        name: metadata.name,
        kind,
        component: labels['app.kubernetes.io/component'] ?? '',
        labels,
        replicas: spec.replicas,
        pod: spec.template.spec,
        container: only,
        claims: spec.volumeClaimTemplates.map((claim) => claim.metadata.name),
      };
    });
}

/**
 * Returns the literal value of an environment variable. Returns undefined if the variable has no literal
 * value.
 */
export function findVariable({ container: { env } }: Workload, name: string): string | undefined {
  return env.find((each) => each.name === name)?.value;
}

/**
 * Returns the Kubernetes Secrets that pods in the given manifests need, with the keys of each Secret. `*`
 * means that the whole Secret is mounted as a volume.
 */
export function listSecretReferences(workloads: readonly Workload[]): Map<string, Set<string>> {
  const references = new Map<string, Set<string>>();
  const note = (name: string, key: string) =>
    references.set(name, (references.get(name) ?? new Set()).add(key));
  for (const { container: only, pod: spec } of workloads) {
    for (const { valueFrom } of only.env)
      if (valueFrom) note(valueFrom.secretKeyRef.name, valueFrom.secretKeyRef.key);
    for (const { secret } of spec.volumes) if (secret) note(secret.secretName, '*');
  }
  return references;
}
