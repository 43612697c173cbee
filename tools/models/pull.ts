/**
 * Downloads a sentence transformer or a cross-encoder for the tool router.
 *
 * Usage: `npm run models:pull -- <owner/name> [--revision main] [--file onnx/model_quantized.onnx]
 * [--into .data/models] [--hub https://huggingface.co]`.
 *
 * The variable MODEL_HUB_URL sets another default hub.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pullModel } from './pull-model.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    revision: { type: 'string', default: 'main' },
    file: { type: 'string' },
    into: { type: 'string', default: join(import.meta.dirname, '../../.data/models') },
    hub: { type: 'string', default: process.env['MODEL_HUB_URL'] ?? 'https://huggingface.co' },
  },
});
const [id] = positionals;
if (id === undefined || positionals.length > 1) {
  console.error('usage: npm run models:pull -- <owner/name>');
  process.exit(2);
}
try {
  const { directory, sha, variable } = await pullModel({
    hub: values.hub,
    id,
    revision: values.revision,
    graph: values.file,
    directory: resolve(values.into),
    log: (line) => console.log(line),
  });
  console.log(
    `${id} at ${sha} is checked and tested. To use it in the router, set\n${variable}=${directory}`,
  );
} catch (error) {
  console.error(`${id} was not fetched: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
