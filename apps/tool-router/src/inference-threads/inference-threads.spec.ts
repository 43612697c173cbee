import { TimeShare } from '@gateway/messaging';
import { createLogger, createMetrics } from '@gateway/observability';
import type { InferenceTask } from '../inference/inference-protocol.ts';
import { InferenceMetrics } from '../metrics/router-metrics.ts';
import { vectorShare } from '../shares/router-shares.ts';
import { InferenceThreads } from './inference-threads.adapter.ts';

const task = (text: string): InferenceTask => ({ kind: 'encode', texts: [[{ field: 'query', text }]] });
const plan = { urgency: 'plan' } as const;
let threads: InferenceThreads;
const metrics = createMetrics('tool-router');

beforeAll(async () => {
  threads = await InferenceThreads.start({
    vectorTime: new TimeShare(vectorShare),
    data: { encoderDir: '', secondEncoderDir: null, rerankerDir: null, threads: 1 },
    logger: createLogger({ service: 'tool-router', instanceId: 'one', level: 'silent' }),
    metrics: new InferenceMetrics(metrics),
    threadFile: new URL('./failing-thread.fixture.mjs', import.meta.url),
  });
}, 60_000);
afterAll(() => threads.close());

describe('an inference thread', () => {
  it('receives simultaneous tasks in one batch', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => threads.run(task('a'), plan)));
    expect(answers).toHaveLength(20);
    const { body } = await metrics.render();
    // The thread is idle when the first task arrives, so the first batch contains only that task.
    expect(body).toMatch(/tool_router_inference_batch_tasks_count\{[^}]*urgency="plan"[^}]*\} 2\n/);
    expect(body).toMatch(/tool_router_inference_batch_tasks_sum\{[^}]*urgency="plan"[^}]*\} 20\n/);
  });

  it('rejects pending tasks when it exits, and is then replaced', async () => {
    const had = [threads.run(task('end'), plan), threads.run(task('behind it'), plan)];
    for (const refused of had) await expect(refused).rejects.toMatchObject({ reason: 'no_model' });
    expect(threads.encoder).toBeUndefined();
    await expect(threads.run(task('a'), plan)).rejects.toMatchObject({ reason: 'no_model' });
    while (threads.encoder === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await threads.run(task('a'), plan)).toHaveLength(1);
  }, 60_000);

  it('rejects tasks for a missing model', async () => {
    const scoring = threads.run({ kind: 'score_features', features: new Float32Array(1) }, plan);
    await expect(scoring).rejects.toMatchObject({ reason: 'no_model' });
  });
});
