import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bootstrap/stack/root.ts';

export interface ReleaseOptions {
  /** The registry and path in front of the image names, such as `ghcr.io/example`. */
  readonly registry: string;
  readonly version: string;
  /** The image platforms, separated by commas. */
  readonly platforms: string;
  /** Folder in which the builds write their metadata files. */
  readonly resultDir: string;
}

/** One image of the release, with the `docker` arguments that build and push the image. */
export interface ImageBuild {
  readonly name: string;
  readonly reference: string;
  /** The file to which buildx writes the image's digest. */
  readonly resultFile: string;
  readonly args: readonly string[];
}

/**
 * Returns a release's images, which are one image per app that runs as a process and one image for the
 * migrations.
 */
export function listImages(): string[] {
  const apps = readdirSync(join(root, 'apps')).filter((app) =>
    existsSync(join(root, 'apps', app, 'src/main.ts')),
  );
  return [...apps.sort(), 'migrate'];
}

/**
 * Returns the image builds of a release. Each image has two attestations. The first attestation lists all
 * components, including operating system components. The second attestation is the image's provenance, with
 * all build steps and sources. The builds push the images, because attestations can only be stored in a
 * registry.
 */
export function planRelease(options: ReleaseOptions): ImageBuild[] {
  return listImages().map((name) => {
    const reference = `${options.registry}/agent-gateway/${name}:${options.version}`;
    const resultFile = join(options.resultDir, `${name}.json`);
    const target =
      name === 'migrate' ? ['--target', 'migrate'] : ['--target', 'app', '--build-arg', `APP=${name}`];
    const args = [
      ...['buildx', 'build', '--file', 'deploy/Dockerfile', ...target],
      ...['--platform', options.platforms, '--tag', reference],
      ...['--sbom=true', '--provenance=mode=max'],
      ...['--metadata-file', resultFile, '--push', '.'],
    ];
    return { name, reference, resultFile, args };
  });
}

/** Returns the `images` entries that pin a Kubernetes overlay to a release's digests. */
export function renderOverlayImages(registry: string, digests: ReadonlyMap<string, string>): string {
  const lines = [...digests].map(
    ([name, digest]) =>
      `  - { name: agent-gateway/${name}, newName: ${registry}/agent-gateway/${name}, digest: '${digest}' }\n`,
  );
  return `images:\n${lines.join('')}`;
}
