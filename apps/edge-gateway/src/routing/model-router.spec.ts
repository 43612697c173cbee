import { loadCatalog } from '@gateway/model-catalog';
import { ModelRouter, type RoutedRequest } from './model-router.ts';
import { complexityBins } from './observations.ts';
import type { PinnedModel } from './conversation-pins.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

function routerOf() {
  const pins = new Map<string, PinnedModel>();
  const answers: string[] = [];
  const nothing = { latency: () => undefined, complexity: new Float64Array(complexityBins), answers: 0 };
  const router = new ModelRouter({
    catalog: loadCatalog(),
    toggles: { turnedOff: () => Promise.resolve(new Set<string>()) },
    observations: {
      read: () => Promise.resolve(nothing),
      noteAnswer: (_, id) => void answers.push(id),
      noteComplexity: () => undefined,
    },
    recall: { peek: () => new Map() },
    pins: {
      find: (_, name) => Promise.resolve(pins.get(name)),
      keep: (_, name, pin) => void pins.set(name, pin),
    },
    now: () => now,
  });
  return { router, pins, answers };
}

const request: RoutedRequest = {
  accountId: 'a',
  mode: 'cheap',
  connected: new Set(['openai', 'anthropic']),
  catalog: loadCatalog(),
  needs: {
    ...{ tools: false, images: false, documents: false, jsonMode: false, streaming: false, thinking: false },
    ...{ inputTokens: 2_000, outputTokensMax: null, marksCache: false },
  },
  freshTokens: 100,
  policy: { allowedProviders: null, maxCostUsdPerMtok: null },
  conversation: 's',
  mayGoOn: true,
  task: '',
  carriesThinking: false,
};
const pinned: PinnedModel = {
  id: 'anthropic/claude-opus-4-8',
  level: 'high',
  inputTokens: 1_500,
  turns: 2,
  at: now - 1_000,
};
const chosen = (router: ModelRouter, change: Partial<RoutedRequest> = {}) =>
  router.choose({ ...request, ...change });

describe('the model router', () => {
  it('chooses only models from connected providers', async () => {
    const { choice } = await chosen(routerOf().router, { connected: new Set(['anthropic']) });
    for (const { id } of choice.candidates) expect(id).toMatch(/^anthropic\//);
    expect(choice.candidates.length).toBeGreaterThan(3);
  });

  it('makes the same choice as long as nothing changes', async () => {
    const { router } = routerOf();
    for (const mode of ['auto', 'cheap', 'fast', 'capable'] as const) {
      const [one, other] = [await chosen(router, { mode }), await chosen(router, { mode })];
      expect(other).toEqual(one);
    }
  });

  it('remembers the model for a conversation, and reads the remembered model only for later turns', async () => {
    const { router, pins, answers } = routerOf();
    const { choice, complexity } = await chosen(router);
    const [first] = choice.candidates;
    router.noteAnswer({
      accountId: 'a',
      id: first!.id,
      seen: { firstTokenMs: 1, msPerToken: 1 },
      inputTokens: 1_900,
      chosen: {
        mode: 'cheap',
        reason: 'cheapest',
        level: 'low',
        complexity,
        choice,
        conversation: 's',
        turns: 1,
      },
    });
    expect(answers).toEqual([first!.id]);
    expect(pins.get('s')).toEqual({ id: first!.id, level: 'low', inputTokens: 1_900, turns: 1, at: now });
    expect(await chosen(router)).toMatchObject({ turns: 2, choice: { reason: 'session' } });
    expect(await chosen(router, { mayGoOn: false })).toMatchObject({
      turns: 1,
      choice: { reason: 'cheapest' },
    });
  });

  it('never changes the model in a conversation with bound reasoning', async () => {
    const { router, pins } = routerOf();
    pins.set('s', pinned);
    const { choice } = await chosen(router, { carriesThinking: true });
    expect(choice).toMatchObject({ reason: 'bound_thinking', candidates: [{ id: pinned.id }] });
    const gone = await chosen(router, { carriesThinking: true, connected: new Set(['openai']) });
    expect(gone.choice.candidates).toEqual([]);
    expect(new Set(gone.choice.excluded.map(({ rule }) => rule))).toContain('session_bound');
  });

  it('estimates the length of a later turn from the billed length of the previous turn', async () => {
    const { router, pins } = routerOf();
    const long = { ...request.needs, inputTokens: 220_000 };
    const fits = async () => (await chosen(router, { needs: long })).choice.candidates.map(({ id }) => id);
    expect(await fits()).not.toContain('anthropic/claude-haiku-4-5');
    pins.set('s', { ...pinned, id: 'anthropic/claude-haiku-4-5', inputTokens: 150_000 });
    expect(await fits()).toContain('anthropic/claude-haiku-4-5');
  });
});
