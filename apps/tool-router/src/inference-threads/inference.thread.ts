// Runs the models in a worker thread, so that inference does not block the router's event loop.
// The worker thread receives batches and sends one result per task.
import { parentPort, workerData } from 'node:worker_threads';
import type { Encoder, Reranker } from '../inference/inference.port.ts';
import { openEncoder, openReranker } from './open-models.ts';
import type {
  EncoderPlace,
  InferenceBatch,
  InferenceReady,
  InferenceResult,
  InferenceTask,
  InferenceThreadData,
  ThreadMessage,
} from '../inference/inference-protocol.ts';

const { encoderDir, secondEncoderDir, rerankerDir, threads } = workerData as InferenceThreadData;
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const [encoder, secondEncoder, reranker] = await Promise.all([
  openEncoder(encoderDir, threads).catch(textOf),
  secondEncoderDir === null ? null : openEncoder(secondEncoderDir, threads).catch(textOf),
  rerankerDir === null ? null : openReranker(rerankerDir, threads).catch(textOf),
]);
send({
  kind: 'ready',
  encoder: encoderFacts(encoder),
  secondEncoder: secondEncoder === null ? null : encoderFacts(secondEncoder),
  reranker: rerankerFacts(reranker),
});
// The parent waits for each reply before it sends another batch, so the worker thread needs no queue.
parentPort?.on('message', (batch: InferenceBatch) => void answer(batch));

function encoderFacts(opened: Encoder | string): InferenceReady['encoder'] {
  if (typeof opened === 'string') return { error: opened };
  return { id: opened.id, dimensions: opened.dimensions };
}

function rerankerFacts(opened: Reranker | string | null): InferenceReady['reranker'] {
  if (opened === null) return null;
  return typeof opened === 'string' ? { error: opened } : { id: opened.id, reads: opened.reads };
}

async function answer({ id, tasks }: InferenceBatch): Promise<void> {
  const startedAt = performance.now();
  const results = new Array<InferenceResult>(tasks.length);
  await encodeAll(encoder, 'first', tasks, results);
  await encodeAll(secondEncoder, 'second', tasks, results);
  for (const [at, task] of tasks.entries()) results[at] ??= await run(task);
  send({ kind: 'done', id, results, inferenceMs: performance.now() - startedAt });
}

/**
 * Encodes the texts of all tasks for an encoder in one call. With the first encoder, a call with several
 * queries takes little longer than a call with one query.
 */
async function encodeAll(
  encoder: Encoder | string | null,
  place: EncoderPlace,
  tasks: readonly InferenceTask[],
  results: InferenceResult[],
): Promise<void> {
  const encodings = [...tasks.entries()].flatMap(([at, task]) =>
    task.kind === 'encode' && (task.encoder ?? 'first') === place ? [{ at, texts: task.texts }] : [],
  );
  if (encodings.length === 0) return;
  if (encoder === null || typeof encoder === 'string') {
    for (const { at } of encodings) results[at] = { error: 'no encoder' };
    return;
  }
  try {
    const vectors = await encoder.encode(encodings.flatMap(({ texts }) => texts));
    let from = 0;
    for (const { at, texts } of encodings) {
      const to = from + texts.length * encoder.dimensions;
      results[at] = { numbers: vectors.slice(from, to) };
      from = to;
    }
  } catch (error) {
    for (const { at } of encodings) results[at] = { error: textOf(error) };
  }
}

async function run(task: InferenceTask): Promise<InferenceResult> {
  if (reranker === null || typeof reranker === 'string') return { error: 'no reranker' };
  try {
    if (task.kind === 'score_features') return { numbers: await reranker.scoreFeatures(task.features) };
    if (task.kind === 'score_pairs') return { numbers: await reranker.scorePairs(task.query, task.texts) };
    return { error: 'not encoded' };
  } catch (error) {
    return { error: textOf(error) };
  }
}

function send(message: ThreadMessage): void {
  const results = message.kind === 'done' ? message.results : [];
  const transfer = results.flatMap((result) =>
    'numbers' in result ? [result.numbers.buffer as ArrayBuffer] : [],
  );
  parentPort?.postMessage(message, transfer);
}
