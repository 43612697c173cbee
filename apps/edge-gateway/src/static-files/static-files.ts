import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the dashboard, of the documentation or of the API reference, ready to send. */
export interface StaticFile {
  readonly body: Buffer;
  /** For each content coding, the compressed contents of the file. */
  readonly compressed: ReadonlyMap<'br' | 'gzip', Buffer>;
  readonly contentType: string;
  readonly etag: string;
  /** Whether the file name contains a content hash. A file with a content hash in its name never changes. */
  readonly isImmutable: boolean;
}

/** The pages of the documentation. */
export const DOCS_FILES = Symbol('DOCS_FILES');

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
};

const codings = { br: '.br', gzip: '.gz' } as const;

/**
 * The files of a directory (a few megabytes), which are read once on startup. Paths in requests are never used to
 * access the file system. If the directory has no `index.html`, the pages were not built, and `find` returns no file.
 */
export class StaticFiles {
  readonly #files: ReadonlyMap<string, StaticFile>;

  constructor(files: ReadonlyMap<string, StaticFile>) {
    this.#files = files;
  }

  static open(directory: string): StaticFiles {
    if (!existsSync(join(directory, 'index.html'))) return new StaticFiles(new Map());
    const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
    const files = names.flatMap((name): [string, StaticFile][] => {
      const contentType = contentTypes[extname(name)];
      const path = join(directory, name);
      if (contentType === undefined || !statSync(path).isFile()) return [];
      return [[relative(directory, path).split(sep).join('/'), readFile(path, name, contentType)]];
    });
    return new StaticFiles(new Map(files));
  }

  /** Returns the file with this path. Returns undefined if the file does not exist. */
  find(path: string): StaticFile | undefined {
    return this.#files.get(path);
  }

  /**
   * Chooses the file for a path below `/dashboard/`. For an unknown path, returns the dashboard page, because
   * the dashboard's own router handles further paths. For a missing built asset, returns undefined, because
   * pages from an earlier version request assets that no longer exist.
   */
  choose(path: string): StaticFile | undefined {
    return this.find(path) ?? (path.startsWith('assets/') ? undefined : this.find('index.html'));
  }
}

function readFile(path: string, name: string, contentType: string): StaticFile {
  const body = readFileSync(path);
  const compressed = Object.entries(codings).flatMap(([coding, ending]): ['br' | 'gzip', Buffer][] =>
    existsSync(path + ending) ? [[coding as 'br' | 'gzip', readFileSync(path + ending)]] : [],
  );
  const isImmutable = name.startsWith(`assets${sep}`);
  return { body, compressed: new Map(compressed), contentType, etag: etagOf(body), isImmutable };
}

/** Creates a file from a JSON document. Gzip compresses a megabyte in about 10 ms, and Brotli would need a second. */
export function createJsonFile(document: unknown): StaticFile {
  const body = Buffer.from(JSON.stringify(document));
  const compressed = new Map([['gzip' as const, gzipSync(body)]]);
  const contentType = 'application/json; charset=utf-8';
  return { body, compressed, contentType, etag: etagOf(body), isImmutable: false };
}

function etagOf(body: Buffer): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}
