import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '../bootstrap/stack/root.ts';

/**
 * The schema of `deploy/images.json`. Each entry pins a third-party image by version tag and by the digest of
 * the image index.
 */
export const imageLock = z.record(
  z.string(),
  z.strictObject({
    tag: z
      .string()
      .regex(/^v?\d[\w.-]*$/, 'must be a version')
      .includes('.'),
    digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  }),
);
export type ImageLock = z.infer<typeof imageLock>;

export const lockFile = 'deploy/images.json';

/** The files that refer to third-party images. */
export const pinnedFiles = [
  'deploy/Dockerfile',
  'deploy/compose.yaml',
  'k8s/components/embedded-data/nats.yaml',
  'k8s/components/embedded-data/postgres.yaml',
  'k8s/components/embedded-data/redis-cache.yaml',
  'k8s/components/embedded-data/redis.yaml',
] as const;

export function readImageLock(): ImageLock {
  return imageLock.parse(JSON.parse(readFileSync(join(root, lockFile), 'utf8')));
}

/** An image reference, with its position in a file's text. */
interface FoundReference {
  readonly reference: string;
  readonly index: number;
}

/**
 * Matches image references. A reference follows `image:` in YAML files, and `FROM`, `COPY --from=` or `ARG
 * …_IMAGE=` in a Dockerfile.
 */
const places =
  /^[ \t]*(?:-[ \t]+)?image:[ \t]*(?<yaml>[^\s#]+)|^FROM[ \t]+(?<from>\S+)|^COPY[ \t]+--from=(?<copy>\S+)|^ARG[ \t]+\w*_IMAGE=(?<arg>\S+)|^# syntax=(?<syntax>\S+)/gm;

/**
 * Returns all images that a file names, in the order of the file. Build stages and build arguments are not
 * images.
 */
export function listReferences(text: string): FoundReference[] {
  const stages = [...text.matchAll(/^FROM[ \t]+\S+[ \t]+AS[ \t]+(\S+)/gim)].map(([, name]) => name);
  return [...text.matchAll(places)].flatMap((match) => {
    const named: Readonly<Record<string, string | undefined>> = match.groups ?? {};
    const reference = Object.values(named).find((value) => value !== undefined);
    if (reference === undefined || reference.startsWith('${') || stages.includes(reference)) return [];
    return [{ reference, index: match.index + match[0].length - reference.length }];
  });
}

/**
 * Returns true if the image is built from this repository, not pulled from a third party. An image from this
 * repository is versioned with the release.
 */
export function isOwnImage(reference: string): boolean {
  return reference.startsWith('agent-gateway/');
}

/**
 * Returns the reference `name:tag@digest` of an image. Throws if the lock file does not contain the image.
 */
export function renderReference(name: string, lock: ImageLock): string {
  const locked = lock[name];
  if (locked === undefined) throw new Error(`${lockFile} has no image ${name}.`);
  return `${name}:${locked.tag}@${locked.digest}`;
}

function nameOf(reference: string): string {
  const [tagged = ''] = reference.split('@');
  const colon = tagged.lastIndexOf(':');
  // A colon before the last slash precedes the registry's port.
  return colon > tagged.lastIndexOf('/') ? tagged.slice(0, colon) : tagged;
}

/** Writes the lock file's version and digest into every third-party image reference. */
export function pinReferences(text: string, lock: ImageLock): string {
  return listReferences(text)
    .filter(({ reference }) => !isOwnImage(reference))
    .reduceRight(
      (pinned, { reference, index }) =>
        pinned.slice(0, index) +
        renderReference(nameOf(reference), lock) +
        pinned.slice(index + reference.length),
      text,
    );
}

/** Returns the third-party image references in a file that differ from the lock file. */
export function findUnpinned(text: string, lock: ImageLock): string[] {
  const isPinned = (reference: string) =>
    lock[nameOf(reference)] !== undefined && reference === renderReference(nameOf(reference), lock);
  return listReferences(text)
    .map(({ reference }) => reference)
    .filter((reference) => !isOwnImage(reference) && !isPinned(reference));
}
