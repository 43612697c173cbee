import { join } from 'node:path';
import ts from 'typescript';
import { z } from 'zod';
import { overlays, renderOverlay, root, type Manifest } from './kustomize.fixture.ts';

/** The Kubernetes versions to test, and the packages with the schemas of custom resources. */
const kubernetesVersions = ['1-33', '1-34'];
const ofOperators: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'cert-manager.io': '@kubernetes-models/cert-manager',
};

interface Model {
  validate(): void;
}
const modelModule = z.record(
  z.string(),
  z.custom<new (data: Manifest) => Model>((value) => typeof value === 'function'),
);

function moduleOf({ apiVersion, kind }: Manifest, version: string): string {
  const [group = ''] = apiVersion.split('/');
  return `${ofOperators[group] ?? `kubernetes-models-${version}`}/${apiVersion}/${kind}`;
}

async function findFaults(object: Manifest, version: string): Promise<string[]> {
  const models = modelModule.parse({ ...((await import(moduleOf(object, version))) as object) });
  const Model = models[object.kind];
  if (Model === undefined) return [`there is no ${object.kind}`];
  try {
    new Model(object).validate();
    return [];
  } catch (error) {
    return [`${object.kind} ${object.metadata.name}: ${String(error)}`];
  }
}

/**
 * Finds misspelled fields. Kubernetes drops unknown fields without an error, and its schemas accept them. The
 * TypeScript types generated from the schemas reject unknown fields, because the compiler checks each field
 * of an object literal.
 */
function findUnknownFields(objects: readonly Manifest[], version: string): string[] {
  const lines = objects.map(
    (object, index) =>
      `import type { I${object.kind} as Kind${index} } from '${moduleOf(object, version)}';\n` +
      `export const object${index}: Kind${index} = ${JSON.stringify(object)};\n`,
  );
  const file = join(root, 'test/k8s/rendered.virtual.ts');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2024,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const source = lines.join('');
  const virtualHost: ts.CompilerHost = {
    ...host,
    readFile: (path) => (path === file ? source : host.readFile(path)),
    fileExists: (path) => path === file || host.fileExists(path),
    getSourceFile: (path, languageVersion, ...rest) =>
      path === file
        ? ts.createSourceFile(path, source, languageVersion)
        : host.getSourceFile(path, languageVersion, ...rest),
  };
  const program = ts.createProgram([file], options, virtualHost);
  return program
    .getSemanticDiagnostics(program.getSourceFile(file))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe.each(kubernetesVersions)('Kubernetes %s', (version) => {
  test.each(overlays)('every object in the overlay %s is valid', async (overlay) => {
    const faults = await Promise.all(renderOverlay(overlay).map((object) => findFaults(object, version)));
    expect(faults.flat()).toEqual([]);
  });

  test('no object has an unknown field', () => {
    const [first, ...others] = overlays.flatMap(renderOverlay);
    expect(findUnknownFields(first === undefined ? [] : [first, ...others], version)).toEqual([]);
  }, 120_000);
});

test('the checks detect a wrong type and a misspelled field', async () => {
  const deployment = renderOverlay('production').find(({ kind }) => kind === 'Deployment');
  if (deployment === undefined) throw new Error('There is no Deployment.');
  const misspelt = { ...deployment, spec: { ...(deployment['spec'] as object), replica: 2 } };
  expect(findUnknownFields([misspelt], '1-34').join()).toContain('replica');
  const wrong = { ...deployment, spec: { ...(deployment['spec'] as object), replicas: 'two' } };
  expect(await findFaults(wrong, '1-34')).toHaveLength(1);
}, 120_000);
