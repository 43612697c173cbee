import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { applyJsonPatch, patchOperations, type Json } from './json-patch.fixture.ts';

/** The fields that all kinds of Kubernetes objects have in common. */
export const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
});
export type Manifest = z.output<typeof manifest>;

const patch = z.strictObject({
  target: z.strictObject({
    kind: z.string(),
    name: z.string().optional(),
    labelSelector: z.string().optional(),
  }),
  patch: z.string(),
});
type Patch = z.output<typeof patch>;

/** The kustomize features that this repository uses. The renderer rejects any other kustomize feature. */
const kustomization = z.strictObject({
  apiVersion: z.string(),
  kind: z.enum(['Kustomization', 'Component']),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  images: z.array(z.strictObject({ name: z.string(), newTag: z.string() })).default([]),
  patches: z.array(patch).default([]),
  configMapGenerator: z
    .array(
      z.strictObject({
        name: z.string(),
        files: z.array(z.string()),
        options: z.strictObject({ disableNameSuffixHash: z.literal(true) }),
      }),
    )
    .default([]),
});
type Kustomization = z.output<typeof kustomization>;

const clusterScoped = new Set(['Namespace']);

function readManifests(file: string): Manifest[] {
  const documents = parseAllDocuments(readFileSync(file, 'utf8'));
  return documents.map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join(', ')}`);
    return manifest.parse(document.toJS());
  });
}

function readResources(directory: string, resources: readonly string[]): Manifest[] {
  return resources.flatMap((resource) => {
    const path = join(directory, resource);
    return statSync(path).isDirectory() ? renderKustomization(path) : readManifests(path);
  });
}

function generateConfigMaps(directory: string, { configMapGenerator }: Kustomization): Manifest[] {
  return configMapGenerator.map(({ name, files }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name },
    data: Object.fromEntries(files.map((file) => [file, readFileSync(join(directory, file), 'utf8')])),
  }));
}

function isTarget({ target }: Patch, object: Manifest): boolean {
  if (object.kind !== target.kind) return false;
  if (target.name !== undefined && !new RegExp(`^(${target.name})$`).test(object.metadata.name)) return false;
  const [label = '', value] = target.labelSelector?.split('=') ?? [];
  return label === '' || object.metadata.labels?.[label] === value;
}

/**
 * Applies patches to Kubernetes objects. Throws an error if a patch changes nothing, although kustomize
 * accepts such a patch.
 */
function applyPatches(
  objects: readonly Manifest[],
  { patches }: Kustomization,
  directory: string,
): Manifest[] {
  return patches.reduce<Manifest[]>(
    (patched, each) => {
      const operations = patchOperations.parse(parse(each.patch));
      if (!patched.some((object) => isTarget(each, object)))
        throw new Error(`${directory}: no object matches ${JSON.stringify(each.target)}`);
      return patched.map((object) =>
        isTarget(each, object) ? manifest.parse(applyJsonPatch(object as Json, operations)) : object,
      );
    },
    [...objects],
  );
}

/** Sets image tags in all lists of containers that have an `image` field. */
function applyImages(value: Json, images: Kustomization['images']): Json {
  if (Array.isArray(value)) return value.map((item) => applyImages(item, images));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const image = key === 'image' ? images.find(({ name }) => name === member) : undefined;
      return [key, image ? `${image.name}:${image.newTag}` : applyImages(member, images)];
    }),
  );
}

function applyNamespace(object: Manifest, namespace: string | undefined): Manifest {
  if (namespace === undefined || clusterScoped.has(object.kind)) return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** Adds a kustomize component's resources to rendered Kubernetes objects, and then applies its patches. */
export function applyComponent(objects: readonly Manifest[], directory: string): Manifest[] {
  const component = readKustomization(directory);
  if (component.kind !== 'Component') throw new Error(`${directory} is not a component.`);
  const added = [
    ...readResources(directory, component.resources),
    ...generateConfigMaps(directory, component),
  ];
  return applyPatches([...objects, ...added], component, directory);
}

function readKustomization(directory: string): Kustomization {
  const file = join(directory, 'kustomization.yaml');
  if (!existsSync(file)) throw new Error(`There is no ${file}.`);
  return kustomization.parse(parse(readFileSync(file, 'utf8')));
}

/**
 * Renders Kubernetes objects with the kustomize features that k8s/ uses. The supported features are
 * resources, components, JSON patches, image tags, a namespace, and ConfigMaps from files. If kustomize is
 * installed, a spec compares the rendered objects with the output of kustomize.
 */
export function renderKustomization(directory: string): Manifest[] {
  const own = readKustomization(directory);
  const resources = [...readResources(directory, own.resources), ...generateConfigMaps(directory, own)];
  const composed = own.components.reduce<Manifest[]>(
    (objects, component) => applyComponent(objects, join(directory, component)),
    resources,
  );
  return applyPatches(composed, own, directory).map((object) =>
    applyNamespace(manifest.parse(applyImages(object as Json, own.images)), own.namespace),
  );
}

/** The root folder of the repository. */
export const root = join(dirname(dirname(import.meta.dirname)));
export const overlays = ['dev', 'staging', 'production'] as const;
export type Overlay = (typeof overlays)[number];

export function renderOverlay(overlay: Overlay): Manifest[] {
  return renderKustomization(join(root, 'k8s/overlays', overlay));
}
