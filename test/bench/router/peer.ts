import { InferenceSession, Tensor } from 'onnxruntime-node';
import { makeMiniLm, shape } from './minilm-graph.ts';
import { cpuMs, quantile, round } from './router.ts';

/** The number of word-piece tokens in a tool's name and description. Public tools have about 60 tokens on average. */
const tokens = 64;

/**
 * For comparison, measures the usual approach, in which a sentence transformer of MiniLM's size encodes every
 * tool in the list. The transformer runs on one thread, with the fastest of several batch sizes. The
 * transformer has random weights, which do not affect the inference time.
 */
export async function measurePeer(tools: number) {
  const session = await InferenceSession.create(makeMiniLm(), { intraOpNumThreads: 1, interOpNumThreads: 1 });
  const best: Record<string, number> = {};
  for (const batch of [1, 8, 32]) {
    const ids = BigInt64Array.from({ length: batch * tokens }, (_, at) => BigInt(at % shape.words));
    const run = () => session.run({ input_ids: new Tensor('int64', ids, [batch, tokens]) });
    await run();
    const times: number[] = [];
    for (let done = 0; done < tools; done += batch) {
      const before = cpuMs();
      await run();
      times.push((cpuMs() - before) / batch);
    }
    best[batch] = quantile(times, 0.5);
  }
  await session.release();
  const perTool = Math.min(...Object.values(best));
  return {
    shape: `${shape.layers} layers of ${shape.width}, ${tokens} tokens a tool, one thread`,
    cpu_ms_a_tool: round(perTool),
    cpu_ms: Object.fromEntries([25, 100, 200, 1000].map((size) => [size, round(perTool * size, 0)])),
  };
}
