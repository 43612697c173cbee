import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { openEncoder, openReranker } from '../../apps/tool-router/src/inference-threads/open-models.ts';
import { downloadFile, parseModelId, readRevision, type HubFile, type HubRevision } from './model-hub.ts';

export interface PullOptions {
  /** The hub's base URL. */
  readonly hub: string;
  /** The model id in the form `owner/name`. */
  readonly id: string;
  /** Branch, tag or commit of the model. */
  readonly revision: string;
  /** Path to the ONNX graph. Without a path, the repository's default graph is used. */
  readonly graph: string | undefined;
  /** The folder that contains all models. Each model has a subfolder. */
  readonly directory: string;
  readonly log: (line: string) => void;
}

export interface PulledModel {
  readonly directory: string;
  readonly sha: string;
  /** The router's environment variable for the folder of the model. */
  readonly variable: 'ROUTER_ENCODER_DIR' | 'ROUTER_RERANKER_DIR';
}

/** Usual paths of the ONNX graph in a repository, preferred first. */
const graphs = ['onnx/model.onnx', 'model.onnx', 'onnx/model_quantized.onnx', 'onnx/model_int8.onnx'];
/** The model files that the router reads in addition to the graph. */
const companions = [
  'tokenizer.json',
  'tokenizer_config.json',
  'config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
  '1_Pooling/config.json',
];
/** Maximum size of a graph in bytes. A larger graph would not fit into the router's memory. */
const bytesMax = 1024 * 1024 * 1024;

/**
 * Downloads a model into a temporary folder, checks each file's size and digest, and runs one inference as
 * the router would. The model is moved to the target folder only after the checks, so the target folder is
 * always complete.
 */
export async function pullModel(options: PullOptions): Promise<PulledModel> {
  const id = parseModelId(options.id);
  const hub = options.hub.replace(/(?<!\/)\/+$/, '');
  const revision = await readRevision(hub, id, options.revision);
  const files = chooseFiles(revision, options.graph);
  const target = join(options.directory, ...id.split('/'));
  const draft = `${target}.part-${process.pid}`;
  try {
    for (const { file, name } of files) {
      options.log(`${name}  ${file.size} bytes`);
      await mkdir(dirname(join(draft, name)), { recursive: true });
      const content = Readable.from(downloadFile(hub, id, revision.sha, file));
      await pipeline(content, createWriteStream(join(draft, name)));
    }
    const source = {
      hub,
      id,
      revision: revision.sha,
      files: files.map(({ file, name }) => ({ name, ...file })),
    };
    await writeFile(join(draft, 'source.json'), `${JSON.stringify(source, null, 2)}\n`);
    const variable = await tryModel(draft);
    await rm(target, { recursive: true, force: true });
    await rename(draft, target);
    return { directory: target, sha: revision.sha, variable };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The graph is stored under the name that the router expects. */
function chooseFiles({ files }: HubRevision, graph: string | undefined): { file: HubFile; name: string }[] {
  const find = (path: string): HubFile | undefined => files.find((file) => file.path === path);
  const wanted = graph === undefined ? graphs : [graph];
  const model = wanted.map(find).find((file) => file !== undefined);
  if (model === undefined) throw new Error(`the model has no ${wanted.join(' or ')}`);
  if (find('tokenizer.json') === undefined) throw new Error('the model has no tokenizer.json');
  if (find(`${model.path}_data`) !== undefined)
    throw new Error(`${model.path} stores its weights in another file, which is not supported`);
  const chosen = [
    { file: model, name: 'model.onnx' },
    ...companions.flatMap((path) => {
      const file = find(path);
      return file === undefined ? [] : [{ file, name: path }];
    }),
  ];
  const bytes = chosen.reduce((sum, { file }) => sum + file.size, 0);
  if (bytes > bytesMax)
    throw new Error(`the files have ${bytes} bytes together, but at most ${bytesMax} are allowed`);
  return chosen;
}

/**
 * Runs the model once, as an encoder or a cross-encoder, depending on the model's configuration.
 * @throws if the router could not run the model
 */
async function tryModel(directory: string): Promise<PulledModel['variable']> {
  const config = await readFile(join(directory, 'config.json'), 'utf8').catch(() => '{}');
  const isCrossEncoder = config.includes('ForSequenceClassification');
  const model = isCrossEncoder ? await openReranker(directory, 1) : await openEncoder(directory, 1);
  await model.release();
  return isCrossEncoder ? 'ROUTER_RERANKER_DIR' : 'ROUTER_ENCODER_DIR';
}
