import { makeTools, makeTurn } from './tool-lists.ts';
import { cpuMs, listOf, quantile, round, RouterUnderTest } from './router.ts';

/** Requests a few plans, so that the hot code of the process is compiled before the measurement. */
async function warmUp(router: RouterUnderTest, questions: number): Promise<void> {
  const list = listOf(makeTools(20_000_000, 60));
  await router.define(list);
  await router.settle();
  for (let at = 0; at < questions; at += 1) await router.plan(list, makeTurn(500_000 + at));
}

/**
 * Measures plans for a known tool list. The benchmark requests one plan after another, each for a new user
 * turn.
 */
export async function measureKnown(questions: number) {
  const router = await RouterUnderTest.open();
  const result: Record<string, object> = {};
  await warmUp(router, questions);
  for (const size of [25, 100, 1000]) {
    const list = listOf(makeTools(size * 10_000, size));
    await router.define(list);
    await router.settle();
    for (let at = 0; at < 50; at += 1) await router.plan(list, makeTurn(at));
    const times: number[] = [];
    const methods = new Set<string>();
    const cpuBefore = cpuMs();
    for (let at = 0; at < questions; at += 1) {
      const startedAt = performance.now();
      const { method } = await router.plan(list, makeTurn(1000 + at));
      times.push(performance.now() - startedAt);
      methods.add(method);
    }
    const cpu_ms = round((cpuMs() - cpuBefore) / questions);
    result[size] = {
      p50_ms: round(quantile(times, 0.5)),
      p99_ms: round(quantile(times, 0.99)),
      cpu_ms,
      method: [...methods].join(' '),
    };
  }
  await router.close();
  return result;
}

/**
 * Measures plans for unknown tool lists. For each list, the benchmark sends the tool definitions first and
 * then requests the plan.
 */
export async function measureNew(runs: number) {
  const router = await RouterUnderTest.open();
  // The first plans only compile the hot code of the process.
  for (let run = 0; run < 5; run += 1) {
    const list = listOf(makeTools(30_000_000 + run * 1000, 300));
    await router.define(list);
    await router.plan(list, makeTurn(run));
    await router.settle();
  }
  const result: Record<string, object> = {};
  for (const size of [200, 1000]) {
    const [times, cpus, after]: [number[], number[], number[]] = [[], [], []];
    const methods = new Set<string>();
    for (let run = 0; run < runs; run += 1) {
      const list = listOf(makeTools(40_000_000 + size * 10_000 + run * size, size));
      const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
      await router.define(list);
      const { method } = await router.plan(list, makeTurn(run));
      times.push(performance.now() - startedAt);
      cpus.push(cpuMs() - cpuBefore);
      methods.add(method);
      const [settledFrom, cpuFrom] = [performance.now(), cpuMs()];
      await router.settle();
      after.push(
        method === 'keyword' ? Math.max(performance.now() - settledFrom, cpuMs() - cpuFrom) / size : 0,
      );
    }
    result[size] = {
      p50_ms: round(quantile(times, 0.5)),
      least_ms: round(Math.min(...times)),
      cpu_ms: round(quantile(cpus, 0.5)),
      method: [...methods].join(' '),
      vectors_after_ms_a_tool: round(quantile(after, 0.5), 3),
    };
  }
  await router.close();
  return result;
}

/**
 * Sends requests at a fixed pace, and does not wait for responses. Each measured time starts at the planned
 * time of the request.
 */
export async function measureLoad(perSecond: number, seconds: number) {
  const router = await RouterUnderTest.open();
  const lists = [25, 100, 100, 100, 200].map((size, at) => listOf(makeTools(50_000_000 + at * 10_000, size)));
  for (const list of lists) await router.define(list);
  await router.settle();
  for (let at = 0; at < 300; at += 1) await router.plan(lists[at % lists.length]!, makeTurn(at));
  const times: number[] = [];
  const methods: Record<string, number> = {};
  const total = perSecond * seconds;
  const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
  const open: Promise<void>[] = [];
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond));
    for (; sent < due; sent += 1) {
      const dueAt = startedAt + (sent / perSecond) * 1000;
      open.push(
        router.plan(lists[sent % lists.length]!, makeTurn(10_000 + sent)).then(({ method }) => {
          times.push(performance.now() - dueAt);
          methods[method] = (methods[method] ?? 0) + 1;
        }),
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  const elapsedMs = performance.now() - startedAt;
  await router.close();
  return {
    per_second: perSecond,
    tools: '25 to 200, 105 on the average',
    p50_ms: round(quantile(times, 0.5)),
    p99_ms: round(quantile(times, 0.99)),
    cores: round((cpuMs() - cpuBefore) / elapsedMs),
    methods,
  };
}

/**
 * Returns the memory of the router process after the process has received the given number of tools. The
 * tools come in lists of 100 tools. Each list is planned once.
 */
export async function measureMemory(tools: number) {
  const router = await RouterUnderTest.open();
  const before = process.memoryUsage.rss();
  for (let from = 0; from < tools; from += 100) {
    const list = listOf(makeTools(60_000_000 + from, 100));
    await router.define(list);
    await router.plan(list, makeTurn(from));
  }
  await router.settle();
  globalThis.gc?.();
  const rss = process.memoryUsage.rss();
  const result = {
    tools,
    rss_mb: round(rss / 1e6, 0),
    rss_before_mb: round(before / 1e6, 0),
    heap_mb: round(process.memoryUsage().heapUsed / 1e6, 0),
    heap_reserved_mb: round(process.memoryUsage().heapTotal / 1e6, 0),
    buffers_mb: round(process.memoryUsage().external / 1e6, 0),
    vectors: router.ranking.vectors.size,
    definitions: router.memory.definitions,
    lists: router.memory.lists,
  };
  await router.close();
  return result;
}
