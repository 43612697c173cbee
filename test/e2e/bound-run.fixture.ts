import { routingCalibration, type RoutingCalibration } from '@gateway/contracts';
import { startStack, type ReplayProvider, type StackUnderTest } from '@gateway/testing';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { undoAll, type Undo } from '../integration/stack.fixture.ts';
import { connectEachFormat, createTestAccount, createTestKey, type TestAccount } from './account.fixture.ts';
import { openAgent } from './agent-clients.fixture.ts';
import { flushCache, insist, loadToolSets } from './bound-conversations.fixture.ts';
import { listResults, serveBoundModel, type BoundModel } from './bound-model.fixture.ts';
import { result } from './conversations.fixture.ts';
import { edgeUrl } from './edges.fixture.ts';
import { send } from './http.fixture.ts';
import { startProvider } from './provider.fixture.ts';
import { openResponsesAgent } from './responses-agent.fixture.ts';

const turnsPerConversation = 3;
const atOnce = 8;
const root = join(import.meta.dirname, '../..');

/** Returns a changed copy of a service's build as an unpacked image. The copy serves as the next release. */
function buildNextRelease(directory: string, app: string, changes: readonly [RegExp, string][]) {
  const copy = join(directory, app);
  cpSync(join(root, 'dist/apps', app), copy, { recursive: true });
  const changed = new Set<RegExp>();
  for (const file of readdirSync(copy).filter((name) => name.endsWith('.js'))) {
    let code = readFileSync(join(copy, file), 'utf8');
    for (const [pattern, replacement] of changes) {
      if (pattern.test(code)) changed.add(pattern);
      code = code.replace(pattern, replacement);
    }
    writeFileSync(join(copy, file), code);
  }
  if (changed.size < changes.length)
    throw new Error(`the build of ${app} lacks code that this test replaces`);
  return { directory: root, command: [process.execPath, join(copy, 'main.js')], env: {} };
}

/** Builds a simulated next release. Version 2 of its context compression steps compresses no text. */
function buildNextReleases(undo: Undo[]) {
  mkdirSync(join(root, '.data'), { recursive: true });
  const directory = mkdtempSync(join(root, '.data/next-release-'));
  undo.push(() => rmSync(directory, { recursive: true, force: true }));
  return {
    'edge-gateway-2': buildNextRelease(directory, 'edge-gateway', [
      [/\bcontextStepsVersion = 1;/, 'contextStepsVersion = 2;'],
    ]),
    'compressor-2': buildNextRelease(directory, 'compressor', [
      [/\bcontextStepsVersions = \[1\];/, 'contextStepsVersions = [1, 2];'],
      [/if \((\w+) === null\) return \{ text: \1,/, 'if ($1 === null || version === 2) return { text: null,'],
    ]),
  };
}

const formats = [
  ['messages', 'anthropic/claude-opus-5-5'],
  ['converse', 'hosted/us.anthropic.claude-opus-5-5'],
  ['responses', 'openai/gpt-6.2-astra'],
] as const;

/** Returns true if the model still has to answer the last message of the transcript. */
const isWaiting = (transcript: readonly object[]): boolean => {
  const { role, type } = (transcript.at(-1) ?? {}) as { role?: string; type?: string };
  return role === 'user' || type === 'function_call_output';
};

/**
 * Runs groups of conversations with bound reasoning in three formats, on a stack with two edges and two
 * compressors. Between two turns, restarts or changes disrupt the stack.
 */
export class BoundRun {
  readonly policies = new Set<string | null>();
  readonly #sets = loadToolSets();
  readonly #undo: Undo[] = [];
  readonly #wanted = new Map<string, string>();
  #stack!: StackUnderTest;
  #provider!: ReplayProvider;
  #account!: TestAccount;
  #key = '';
  #model!: BoundModel;
  /** The addresses of the edges that serve requests. The second edge runs the next release. */
  #edges: string[] = [];
  #requests = 0;
  #begun = 0;

  async open(): Promise<void> {
    this.#stack = await startStack({
      restartCrashed: true,
      replicas: { 'edge-gateway': 2, compressor: 2 },
      images: buildNextReleases(this.#undo),
    });
    const { baseUrl } = this.#stack;
    this.#undo.push(() => this.#stack.stop());
    await this.#stack.service('compressor-2').stop();
    this.#provider = await startProvider();
    this.#undo.push(() => this.#provider.close());
    this.#edges = [baseUrl];
    this.#account = await createTestAccount(this.#stack);
    const { apiKey } = this.#account;
    this.#key = (await createTestKey(baseUrl, apiKey, { name: 'runs', rate_limit_rpm: 1_000_000 })).key;
    await connectEachFormat(baseUrl, this.#key, this.#provider.url);
    await this.prefer({});
    this.#model = serveBoundModel(this.#provider, (text) => this.#wanted.get(text));
  }

  close(): Promise<void> {
    return undoAll(this.#undo);
  }

  readonly emptyCache = (): Promise<void> => flushCache(this.#stack);

  readonly restart = (...names: readonly string[]): Promise<unknown> =>
    Promise.all(names.map((name) => this.#stack.service(name).restart()));

  /** Changes the account's routing preferences, and always enables planning for requests to the Responses API. */
  readonly prefer = (body: object): Promise<void> =>
    this.#change('PUT', '/v1/account/routing/preferences', { ...body, responses: { plan: true } });

  /** Switches the compressor to its next release. Adds an edge that runs the next release. */
  readonly upgrade = async (): Promise<void> => {
    await this.#stack.service('compressor-2').start();
    await this.#stack.service('compressor').stop();
    this.#edges = [this.#stack.baseUrl, edgeUrl(this.#stack, 'tight')];
  };

  /** Sets the share of new conversations that become shadow conversations. The worker computes policies from them. */
  readonly setShadowShare = (share: number): Promise<void> =>
    this.#change('PATCH', '/v1/account/me', {
      policy: { shadow_share: share, shadow_share_learning: share },
    });

  async #readPolicy(): Promise<RoutingCalibration['version']> {
    const path = '/v1/account/routing/calibration';
    const answer = await send(this.#stack.baseUrl, { path, key: this.#account.apiKey });
    return routingCalibration.parse(answer.json()).version;
  }

  async #change(method: string, path: string, body: object): Promise<void> {
    const answer = await send(this.#stack.baseUrl, { method, path, key: this.#account.apiKey, body });
    expect(answer.status).toBe(200);
  }

  /**
   * Runs a group of conversations with three turns.
   * @param events the restarts or changes at the start of the second and third turns
   */
  async runGroup(size: number, events: readonly (() => Promise<unknown>)[]): Promise<void> {
    const transcripts = Array.from({ length: size }, (): object[] => []);
    const from = this.#begun;
    this.#begun += size;
    for (let turn = 0; turn < turnsPerConversation; turn += 1) {
      const happening = turn === 0 ? undefined : events[turn - 1]?.();
      let next = 0;
      const work = async (): Promise<void> => {
        for (let own = next++; own < size; own = next++)
          await this.#takeTurn(from + own, turn, transcripts[own]!);
      };
      await Promise.all([happening, ...Array.from({ length: atOnce }, work)]);
    }
    this.policies.add(await this.#readPolicy());
  }

  /** Runs one turn, consisting of a user question, tool calls with results, and the model's final response. */
  async #takeTurn(at: number, turn: number, transcript: object[]): Promise<void> {
    const { tools, tasks } = this.#sets[at % this.#sets.length]!;
    const names = new Set(tools.map((tool) => tool.function.name));
    const [format, id] = formats[at % formats.length]!;
    const bits = Math.floor(at / formats.length);
    const options = {
      ...{ stream: (bits & 1) === 0, thinks: (bits & 2) === 0, marksNewest: (bits & 4) === 0, tools },
    };
    const { query, tool } = tasks[(at * turnsPerConversation + turn) % tasks.length]!;
    const text = `${query}\n(${at}.${turn})`;
    this.#wanted.set(text, tool);
    for (let isDone = false; !isDone;) {
      this.#requests += 1;
      const baseUrl = this.#edges[this.#requests % this.#edges.length]!;
      const given = { baseUrl, key: this.#key, model: id };
      const agent = format === 'responses' ? openResponsesAgent(given) : openAgent(format, given);
      if (!isWaiting(transcript)) transcript.push(agent.user(text));
      const answer = await insist(() => agent.ask(transcript, options));
      expect(answer).toMatchObject({ status: 200, error: null });
      for (const call of answer.calls) expect(names).toContain(call.name);
      const results = answer.calls.length === 0 ? [] : agent.results(answer, result(`${at}.${turn}`));
      transcript.push(...[answer.message].flat(), ...results);
      isDone = answer.calls.length === 0;
    }
  }

  /** Returns, by API, how many provider requests contained compressed tool results. */
  countCompressed(): { readonly chat: number; readonly responses: number } {
    const isCompressed = (results: readonly string[]) => results.some((text) => !text.includes('\n'));
    const counts = { chat: 0, responses: 0 };
    for (const { url, body } of this.#provider.requests)
      if (isCompressed(listResults(body.toString())))
        counts[url.includes('/responses') ? 'responses' : 'chat'] += 1;
    return counts;
  }

  /** Expects that the provider accepted every request, and prints the counts of the test run. */
  expectUntouched(requestsMin: number): void {
    const kinds = new Map<string, number>();
    for (const { kind } of this.#model.verdicts) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const { searches, loads, missed, rules } = this.#model;
    const compressed = this.countCompressed();
    process.stdout.write(
      `${JSON.stringify({ verdicts: Object.fromEntries(kinds), searches, loads, missed: missed.length, policies: [...this.policies], compressed })}\n`,
    );
    expect(this.#sets.map(({ tools }) => tools.length).every((length) => length > 50)).toBe(true);
    expect(rules.violations).toEqual([]);
    expect([...kinds.keys()]).toEqual(['accepted']);
    expect(this.#model.verdicts.length).toBeGreaterThan(requestsMin);
    expect(searches).toBeGreaterThan(0);
    expect(loads).toBeGreaterThan(0);
  }
}
