import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  crossFiles,
  sentenceFiles,
} from '../../apps/tool-router/src/inference-threads/small-models.fixture.ts';
import { pullModel } from './pull-model.ts';

const sha = 'a'.repeat(40);
type Files = Record<string, Buffer>;

/**
 * A test hub on loopback with the huggingface.co API. The hub identifies large files by SHA-256, and small
 * files by git's blob hash.
 */
class LoopbackHub {
  readonly models = new Map<string, Files>();
  /** File contents that the hub sends instead of the listed contents, by path. */
  readonly tampered = new Map<string, Buffer>();
  readonly asked: string[] = [];
  readonly #server: Server = createServer((request, response) => {
    const url = decodeURIComponent(request.url ?? '');
    this.asked.push(url);
    const listing = /^\/api\/models\/(.+)\/revision\/([^?]+)\?blobs=true$/.exec(url);
    const files = this.models.get(listing?.[1] ?? /^\/(.+)\/resolve\//.exec(url)?.[1] ?? '');
    if (files === undefined) return void response.writeHead(404).end();
    if (listing)
      return void response.end(JSON.stringify({ sha, siblings: Object.entries(files).map(describeFile) }));
    const path = url.split(`/resolve/${sha}/`)[1] ?? '';
    const content = this.tampered.get(path) ?? files[path];
    if (content === undefined) return void response.writeHead(404).end();
    response.end(content);
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function describeFile([path, content]: [string, Buffer]) {
  const digest = (kind: string, ...parts: (Buffer | string)[]): string =>
    parts
      .reduce<ReturnType<typeof createHash>>((hash, part) => hash.update(part), createHash(kind))
      .digest('hex');
  const blobId = digest('sha1', `blob ${content.length}\0`, content);
  const lfs = path.endsWith('.onnx')
    ? { sha256: digest('sha256', content), size: content.length }
    : undefined;
  return { rfilename: path, size: content.length, blobId, ...(lfs ? { lfs } : {}) };
}

const buffersOf = (files: Record<string, Buffer | string>): Files =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));

let hub: LoopbackHub;
let url: string;
let directory: string;

beforeEach(async () => {
  hub = new LoopbackHub();
  url = await hub.start();
  directory = await mkdtemp(join(tmpdir(), 'pulled-'));
});
afterEach(async () => {
  await hub.close();
  await rm(directory, { recursive: true, force: true });
});

const pull = (id: string, graph?: string) =>
  pullModel({ hub: `${url}/`, id, revision: 'main', graph, directory, log: () => undefined });

describe('a model from a hub', () => {
  it('a model is stored at one commit under the graph name that the router expects, with the name of its variable', async () => {
    const { 'model.onnx': graph, ...rest } = buffersOf(sentenceFiles());
    hub.models.set('acme/small', { ...rest, 'onnx/model.onnx': graph!, 'README.md': Buffer.from('hello') });
    const pulled = await pull('acme/small');
    expect(pulled).toEqual({ directory: join(directory, 'acme/small'), sha, variable: 'ROUTER_ENCODER_DIR' });
    expect(await readFile(join(pulled.directory, 'model.onnx'))).toEqual(graph);
    const kept = await readdir(pulled.directory);
    expect(kept).not.toContain('README.md');
    expect(JSON.parse(await readFile(join(pulled.directory, 'source.json'), 'utf8'))).toMatchObject({
      revision: sha,
    });
  });

  it('a cross-encoder is recognized by its configuration', async () => {
    hub.models.set('acme/cross', buffersOf(crossFiles()));
    expect(await pull('acme/cross')).toMatchObject({ variable: 'ROUTER_RERANKER_DIR' });
  });

  it.each(['model.onnx', 'tokenizer.json'])(
    'a model is rejected if the content of %s differs, and existing files stay',
    async (path) => {
      const files = buffersOf(sentenceFiles());
      hub.models.set('acme/small', files);
      const { directory: target } = await pull('acme/small');
      const before = await readFile(join(target, path));
      const other = Buffer.from(files[path]!);
      other[other.length - 1]! ^= 1;
      for (const tampered of [other, other.subarray(1), Buffer.concat([other, other])]) {
        hub.tampered.set(path, tampered);
        await expect(pull('acme/small')).rejects.toThrow(path);
      }
      expect(await readFile(join(target, path))).toEqual(before);
      expect(await readdir(join(directory, 'acme'))).toEqual(['small']);
    },
  );

  it('a model that the router cannot run is not stored', async () => {
    hub.models.set('acme/broken', {
      ...buffersOf(sentenceFiles()),
      'model.onnx': Buffer.from('not a graph'),
    });
    await expect(pull('acme/broken')).rejects.toThrow();
    hub.models.set('acme/none', { 'config.json': Buffer.from('{}') });
    await expect(pull('acme/none')).rejects.toThrow(/has no/);
    await expect(pull('acme/unknown')).rejects.toThrow(/404/);
    expect(await readdir(directory).then((names) => names.filter((name) => name !== 'acme'))).toEqual([]);
  });

  it.each(['small', '../../etc', 'acme/..', 'acme/a/b', 'acme/a?b', ''])(
    'nothing is fetched for the invalid model id %j',
    async (id) => {
      await expect(pull(id)).rejects.toThrow(/is not a model id/);
      expect(hub.asked).toEqual([]);
    },
  );

  it('a model is written only to its own folder, even if the hub lists paths outside it', async () => {
    hub.models.set('acme/small', { ...buffersOf(sentenceFiles()), '../../outside.json': Buffer.from('{}') });
    await pull('acme/small');
    await writeFile(join(directory, 'probe'), '');
    expect((await readdir(directory)).toSorted()).toEqual(['acme', 'probe']);
  });
});
