// `npm run images:pin` updates each digest in deploy/images.json to the registry's current digest.
// The command also updates the digests in all files that name images.
// `npm run images:pin -- --check` changes no files.
// The check fails if a file names an image without its pinned digest.
// The check also fails if the registry lacks a pinned digest.
// The command always needs docker with buildx, even with `--check`.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../bootstrap/stack/root.ts';
import {
  findUnpinned,
  imageLock,
  lockFile,
  pinnedFiles,
  pinReferences,
  readImageLock,
  renderReference,
  type ImageLock,
} from './image-lock.ts';

/** Returns the digest of an image's index from the image's registry. */
function readDigest(reference: string): string {
  const format = '{{.Manifest.Digest}}';
  const args = ['buildx', 'imagetools', 'inspect', reference, '--format', format];
  return execFileSync('docker', args, { encoding: 'utf8' }).trim();
}

function checkImages(lock: ImageLock): string[] {
  const faults = pinnedFiles.flatMap((file) =>
    findUnpinned(readFileSync(join(root, file), 'utf8'), lock).map(
      (each) => `${file}: ${each} is not pinned`,
    ),
  );
  for (const [name, { digest }] of Object.entries(lock)) {
    const found = readDigest(renderReference(name, lock));
    console.log(`${renderReference(name, lock)} is in the registry`);
    if (found !== digest) faults.push(`${name}: the registry answers ${found}`);
  }
  return faults;
}

function updateImages(lock: ImageLock): void {
  const updated = imageLock.parse(
    Object.fromEntries(
      Object.entries(lock).map(([name, { tag }]) => [name, { tag, digest: readDigest(`${name}:${tag}`) }]),
    ),
  );
  writeFileSync(join(root, lockFile), `${JSON.stringify(updated, null, 2)}\n`);
  for (const file of pinnedFiles) {
    const path = join(root, file);
    writeFileSync(path, pinReferences(readFileSync(path, 'utf8'), updated));
  }
  for (const name of Object.keys(updated)) console.log(renderReference(name, updated));
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const lock = readImageLock();
if (values.check) {
  const faults = checkImages(lock);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} else updateImages(lock);
