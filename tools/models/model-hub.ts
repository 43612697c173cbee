import { createHash } from 'node:crypto';
import { z } from 'zod';

const revisionSchema = z.looseObject({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z.array(
    z.looseObject({
      rfilename: z.string(),
      size: z.int().min(0).optional(),
      blobId: z.string().optional(),
      lfs: z.looseObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/), size: z.int().min(0) }).nullish(),
    }),
  ),
});

/** A model file, with its expected size and digest. */
export interface HubFile {
  readonly path: string;
  readonly size: number;
  /** SHA-256 digest of the content for a large file, or git's blob hash for a small file. */
  readonly digest: { readonly kind: 'sha256' | 'git'; readonly hex: string };
}

export interface HubRevision {
  /** The commit that contains the files. */
  readonly sha: string;
  readonly files: readonly HubFile[];
}

/**
 * The model id in the form `owner/name`.
 * @throws Error if the id does not have this form
 */
export function parseModelId(id: string): string {
  if (!/^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/.test(id) || id.includes('..')) {
    throw new Error(`"${id}" is not a model id (owner/name)`);
  }
  return id;
}

/**
 * Lists the files of a model at a branch, tag or commit. Calls `GET /api/models/{id}/revision/{revision}?blobs=true`
 * of the huggingface.co API, which other hubs also support.
 */
export async function readRevision(hub: string, id: string, revision: string): Promise<HubRevision> {
  const url = `${hub}/api/models/${id}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const response = await fetch(url, { headers: { accept: 'application/json' } });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  const { sha, siblings } = revisionSchema.parse(await response.json());
  return { sha, files: siblings.flatMap(parseFile) };
}

function parseFile(sibling: z.infer<typeof revisionSchema>['siblings'][number]): HubFile[] {
  const { rfilename: path, size, blobId, lfs } = sibling;
  if (lfs) return [{ path, size: lfs.size, digest: { kind: 'sha256', hex: lfs.sha256 } }];
  if (size === undefined || blobId === undefined) return [];
  return [{ path, size, digest: { kind: 'git', hex: blobId } }];
}

/**
 * Streams a file's content.
 * @throws while reading, if the content does not match the listed size and digest
 */
export async function* downloadFile(
  hub: string,
  id: string,
  sha: string,
  { path, size, digest }: HubFile,
): AsyncGenerator<Uint8Array> {
  const url = `${hub}/${id}/resolve/${sha}/${path.split('/').map(encodeURIComponent).join('/')}`;
  const response = await fetch(url);
  if (!response.ok || response.body === null) throw new Error(`${url}: ${response.status}`);
  const hash = createHash(digest.kind === 'git' ? 'sha1' : 'sha256');
  if (digest.kind === 'git') hash.update(`blob ${size}\0`);
  let received = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    received += chunk.length;
    if (received > size) break;
    hash.update(chunk);
    yield chunk;
  }
  if (received !== size) throw new Error(`${path}: received ${received} of ${size} bytes`);
  if (hash.digest('hex') !== digest.hex)
    throw new Error(`${path}: the content does not match the digest of the hub`);
}
