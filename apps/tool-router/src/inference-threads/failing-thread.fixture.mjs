// A worker thread with a one-dimensional model.
// The thread exits when a batch contains the text `end`, and replies to every other batch.
import { parentPort } from 'node:worker_threads';

parentPort.postMessage({ kind: 'ready', encoder: { id: 'one', dimensions: 1 }, reranker: null });
parentPort.on('message', ({ id, tasks }) => {
  if (tasks.some(({ texts }) => texts[0]?.[0]?.text === 'end')) process.exit(1);
  const results = tasks.map(({ texts }) => ({ numbers: new Float32Array(texts.length) }));
  parentPort.postMessage({ kind: 'done', id, results, inferenceMs: 1 });
});
