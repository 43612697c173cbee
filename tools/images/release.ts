/**
 * Builds and pushes the images of a release. Usage:
 * `npm run images:release -- --registry ghcr.io/example [--version 0.1.0] [--platforms linux/amd64,linux/arm64]`.
 *
 * The command checks the pinned base images, and builds and pushes every image with its attestations. The
 * command writes the digests to dist/release/images.yaml, as `images` entries for a Kubernetes overlay. The
 * command requires docker with buildx, and a registry that accepts the push.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { root } from '../bootstrap/stack/root.ts';
import { planRelease, renderOverlayImages } from './release-plan.ts';

const packageFile = z.looseObject({ version: z.string() });
const buildResult = z.looseObject({
  'containerimage.digest': z.string().regex(/^sha256:[0-9a-f]{64}$/),
});

const { values } = parseArgs({
  options: {
    registry: { type: 'string' },
    version: { type: 'string' },
    platforms: { type: 'string', default: 'linux/amd64,linux/arm64' },
  },
});
const { registry } = values;
if (registry === undefined) {
  console.error('usage: npm run images:release -- --registry <registry> [--version <version>]');
  process.exit(2);
}
const run = (command: string, args: readonly string[]) =>
  execFileSync(command, [...args], { cwd: root, stdio: 'inherit' });
const resultDir = join(root, 'dist/release');
mkdirSync(resultDir, { recursive: true });
run('npm', ['run', '-s', 'images:pin', '--', '--check']);

const { version } = packageFile.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
const builds = planRelease({
  ...{ registry, platforms: values.platforms, resultDir },
  version: values.version ?? version,
});
const digests = new Map<string, string>();
for (const { name, args, resultFile } of builds) {
  run('docker', args);
  const result = buildResult.parse(JSON.parse(readFileSync(resultFile, 'utf8')));
  digests.set(name, result['containerimage.digest']);
}
const file = join(resultDir, 'images.yaml');
writeFileSync(file, renderOverlayImages(registry, digests));
console.log(`Wrote ${file}. Replace the images of your overlay with its entries.`);
