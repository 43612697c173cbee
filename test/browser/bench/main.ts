// `npm run bench:dashboard -- [--rows 100000] [--tools 1000]` measures long lists in a browser.
// The benchmark measures the frame rate while scrolling.
// The benchmark also measures the delay between a click and its visible effect.
// Run this benchmark on an idle machine.
import { parseArgs } from 'node:util';
import { signUpPerson, startStack } from '@gateway/testing';
import { chromium, type Page } from 'playwright-core';
import { fillLog } from '../../bench/worker/queries.ts';

const bounds = { framesPerSecond: 60, interactionMs: 100, firstPaintMs: 1_000 } as const;
const toolsAtOnce = 50;
const { values } = parseArgs({
  options: { rows: { type: 'string', default: '100000' }, tools: { type: 'string', default: '1000' } },
});
const [rows, tools] = [Number(values.rows), Number(values.tools)];

// The plan deadline is long, because the benchmark measures only the dashboard page.
const stack = await startStack({ env: { 'edge-gateway': { PLAN_DEADLINE_MS: '10000' } } });
try {
  const person = await signUpPerson(stack.baseUrl);
  await offerTools(person.accessToken);
  await fillLog(stack.dev.postgres.telemetry, person.accountId ?? '', rows);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  const context = await browser.newContext({
    baseURL: stack.baseUrl,
    viewport: { width: 1600, height: 1000 },
  });
  const { email, password } = person;
  await context.request.post('/v1/auth/log-in', { data: { email, password } });
  await context.addInitScript(() => localStorage.setItem('svc-was-signed-in', 'yes'));
  const page = await context.newPage();
  const firstPaintMs = await measureFirstPaint(page);
  const lists = [
    { list: `${rows} requests`, ...(await measureScroll(page, 'requests', 'Requests')) },
    { list: `${tools} tools`, ...(await measureScroll(page, 'tool-health', 'Tools')) },
  ];
  const interactions = await measureInteractions(page);
  console.table(lists);
  console.table(interactions);
  await browser.close();
  console.log(JSON.stringify({ firstPaintMs, lists, interactions, bounds }));
} finally {
  await stack.stop();
}

/**
 * Sends requests that together contain all tools, so that the dashboard has a row for each tool. The request
 * log stores only the best-ranked tools of a long tool list.
 */
async function offerTools(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const made = await fetch(`${stack.baseUrl}/v1/account/keys`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'bench' }),
  });
  const { key } = (await made.json()) as { key: string };
  for (let from = 0; from < tools; from += toolsAtOnce) await offer(key, from);
  for (let tries = 0; tries < 100; tries += 1) {
    const health = await fetch(`${stack.baseUrl}/v1/account/tools/health?limit=1`, { headers });
    if (((await health.json()) as { total: number }).total >= tools) return;
    await new Promise((done) => setTimeout(done, 200));
  }
  throw new Error('the tools did not appear in the log');
}

async function offer(key: string, from: number): Promise<void> {
  const list = Array.from({ length: toolsAtOnce }, (_, at) => ({
    type: 'function',
    function: {
      name: `tool_${from + at}`,
      description: `Gets item number ${from + at}`,
      parameters: { type: 'object', properties: {} },
    },
  }));
  const messages = [{ role: 'user', content: 'Get the thing number 7' }];
  const answer = await fetch(`${stack.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/sandbox-1', messages, tools: list }),
  });
  await answer.text();
}

/** Returns the time in milliseconds until the first contentful paint of a page with an empty cache. */
async function measureFirstPaint(page: Page): Promise<number> {
  await page.goto('/dashboard/requests');
  await page.locator('h1').waitFor();
  const ms = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  );
  return Math.round(ms);
}

/**
 * Scrolls the page for four seconds. Returns frames per second and the share of frames longer than 33.4 ms
 * (two frames at 60 Hz).
 */
async function measureScroll(page: Page, path: string, label: string) {
  await page.goto(`/dashboard/${path}`);
  await page.getByRole('region', { name: label, exact: true }).waitFor();
  await page.getByRole('region', { name: label, exact: true }).hover();
  const frames = page.evaluate(async (forMs: number) => {
    const times: number[] = [];
    const until = performance.now() + forMs;
    await new Promise<void>((done) => {
      const next = (at: number) => {
        times.push(at);
        if (at < until) requestAnimationFrame(next);
        else done();
      };
      requestAnimationFrame(next);
    });
    return times.slice(1).map((at, index) => at - (times[index] ?? at));
  }, 4_000);
  for (let turn = 0; turn < 100; turn += 1) {
    await page.mouse.wheel(0, 400);
    await page.waitForTimeout(30);
  }
  const took = await frames;
  const totalMs = took.reduce((sum, ms) => sum + ms, 0);
  return {
    frames_per_second: Math.round((took.length / totalMs) * 1_000),
    slow_frames: Math.round((took.filter((ms) => ms > 33.4).length / took.length) * 1_000) / 1_000,
    rows_in_page: await page.locator('[data-key]').count(),
  };
}

/**
 * Returns the delay between an input and the frame that shows its effect. The browser measures the delay with
 * the Event Timing API.
 */
async function measureInteractions(page: Page) {
  await page.evaluate(() => {
    const seen = window as unknown as { slowest: number };
    seen.slowest = 0;
    const observed = { type: 'event', durationThreshold: 16 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.slowest = Math.max(seen.slowest, duration);
    }).observe(observed);
  });
  const measure = async (interaction: string, act: () => Promise<void>) => {
    await page.evaluate(() => ((window as unknown as { slowest: number }).slowest = 0));
    await act();
    await page.waitForTimeout(600);
    const slowest_ms = await page.evaluate(() => (window as unknown as { slowest: number }).slowest);
    return { interaction, slowest_ms };
  };
  return [
    await measure('sort by description', () => page.getByRole('button', { name: 'Description' }).click()),
    await measure('find by name', () =>
      page.getByPlaceholder('Find by name').pressSequentially('tool_99', { delay: 60 }),
    ),
    await measure('another tab', () => page.getByRole('tab', { name: 'Suggestions' }).click()),
  ];
}
