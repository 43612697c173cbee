import { sharedStack } from '@gateway/testing';
import { z } from 'zod';
import { eventually } from '../integration/stack.fixture.ts';
import { expectError } from './errors.fixture.ts';
import { callFor, invalid, replicas, untilEffective } from './governance.fixture.ts';
import { send } from './http.fixture.ts';
import {
  askRouted,
  changePreferences,
  easy,
  hard,
  listPrices,
  openRoutedWorld,
  readChosen,
  sayAs,
  toggle,
  type RoutedWorld,
} from './routed-providers.fixture.ts';

const stack = sharedStack();
const { baseUrl } = stack;
const modelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });
let world: RoutedWorld;
let key: string;

beforeEach(async () => {
  world = await openRoutedWorld();
  key = world.account.apiKey;
});
afterEach(() => world.close());

const ask = (model: string, content = easy) => askRouted(key, { model, messages: sayAs(content) });

describe('routing strings', () => {
  it('svc/auto sends simple tasks to a cheap model and complex tasks to a capable one', async () => {
    const [simple, complex] = [await ask('svc/auto'), await ask('svc/auto', hard)];
    expect(simple.choice).toMatchObject({ mode: 'auto', level: 'low', reason: 'complexity_low' });
    expect(complex.choice).toMatchObject({ mode: 'auto', level: 'high', reason: 'complexity_high' });
    const [cheap, capable] = [simple.choice.candidates[0]!, complex.choice.candidates[0]!];
    expect(capable.quality).toBeGreaterThan(cheap.quality);
    expect(capable.cost_usd).toBeGreaterThan(cheap.cost_usd!);
    expect(simple.detail.requested_model).toBe('svc/auto');
  });

  it('svc/cheap chooses the cheapest model, svc/capable the best model, svc/fast the fastest model', async () => {
    const cheap = (await ask('svc/cheap')).choice;
    expect(cheap.reason).toBe('cheapest');
    expect(cheap.candidates[0]!.cost_usd).toBe(
      Math.min(...cheap.candidates.map(({ cost_usd: cost }) => cost ?? Infinity)),
    );
    const capable = (await ask('svc/capable')).choice;
    expect(capable.reason).toBe('most_capable');
    expect(capable.candidates[0]!.quality).toBe(
      Math.max(...capable.candidates.map(({ quality }) => quality)),
    );
    const fast = (await ask('svc/fast')).choice;
    expect(['fastest', 'explored']).toContain(fast.reason);
    const scores = fast.candidates.map(({ score }) => score ?? Infinity);
    if (fast.reason === 'fastest') expect(scores[0]).toBe(Math.min(...scores));
  });

  it('routing strings work on the messages and converse APIs, with responses in the client’s format', async () => {
    const byMessages = await send(baseUrl, {
      path: '/v1/messages',
      key,
      body: { model: 'svc/cheap', max_tokens: 50, messages: sayAs(easy) },
    });
    expect((await readChosen(key, byMessages)).choice.mode).toBe('cheap');
    expect(byMessages.json()).toMatchObject({ type: 'message', role: 'assistant' });
    const byConverse = await send(baseUrl, {
      path: `/model/${encodeURIComponent('svc/capable')}/converse`,
      key,
      body: { messages: [{ role: 'user', content: [{ text: easy }] }] },
    });
    expect((await readChosen(key, byConverse)).choice.mode).toBe('capable');
    expect(byConverse.json()).toMatchObject({ output: { message: { role: 'assistant' } } });
  });

  it('a routing string keeps a conversation on its model on every replica, by the transcript or the session id', async () => {
    const first = await ask('svc/auto', hard);
    const messages = [...sayAs(hard), { role: 'assistant', content: 'Hello.' }, ...sayAs('Thanks.')];
    for (const edge of replicas(stack)) {
      const next = await askRouted(key, { model: 'svc/auto', messages }, edge);
      expect(next).toMatchObject({ id: first.id, choice: { level: 'high' } });
      // A replica that has not stored the model choice chooses the same model again, from the first turn.
      if (edge === baseUrl) expect(next.choice.reason).toBe('session');
    }
    const named = { 'x-svc-session-id': 'named' };
    const begun = await askRouted(key, { model: 'svc/auto', messages: sayAs(hard) }, baseUrl, named);
    const body = { model: 'svc/auto', messages: sayAs('Thanks.') };
    const gone = await askRouted(key, body, baseUrl, named);
    expect(gone).toMatchObject({ id: begun.id, choice: { reason: 'session' } });
  });

  it('svc/fast stops choosing a model that has become slow, on every replica', async () => {
    const { id } = await ask('svc/fast');
    const slow = world.providers.find(({ name }) => id.startsWith(`${name}/`))!;
    slow.delayMs = 900;
    const direct = { model: id, messages: sayAs(easy) };
    const asked = await Promise.all(
      Array.from({ length: 5 }, () => send(baseUrl, { path: '/v1/chat/completions', key, body: direct })),
    );
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    slow.delayMs = 0;
    for (const edge of replicas(stack)) {
      await eventually(async () => {
        const { id: next } = await askRouted(
          key,
          { model: 'svc/fast', messages: sayAs(`${easy} ${edge}`) },
          edge,
        );
        return next === id ? undefined : next;
      }, 20_000);
    }
  });
});

describe('the account’s preferences', () => {
  it('the account’s preferences restrict the choice of models: toggles, providers and the maximum price', async () => {
    const first = await ask('svc/cheap');
    await toggle(key, first.id, false);
    await untilEffective();
    const second = await ask('svc/cheap', `${easy} Please.`);
    expect(second.id).not.toBe(first.id);
    expect(second.choice.excluded).toContainEqual({ id: first.id, rule: 'turned_off' });

    await changePreferences(key, { allowed_providers: ['anthropic'] });
    await untilEffective();
    const third = await ask('svc/cheap', `${easy} Quickly.`);
    expect(third.id).toMatch(/^anthropic\//);

    await changePreferences(key, { allowed_providers: null, max_cost_usd_per_mtok: 2 });
    await untilEffective();
    const fourth = await ask('svc/capable');
    const prices = (await listPrices(key)).get(fourth.id)!;
    for (const price of prices) expect(price).toBeLessThanOrEqual(2);
    expect(fourth.choice.excluded.map(({ rule }) => rule)).toContain('above_max_cost');
  });

  it('the account’s preferences set the mode of svc/auto', async () => {
    await changePreferences(key, { mode: 'capable' });
    await untilEffective();
    const { choice, detail } = await ask('svc/auto');
    expect(choice).toMatchObject({ mode: 'capable', reason: 'most_capable' });
    expect(detail.requested_model).toBe('svc/auto');
  });

  it('changed preferences apply to later turns of a conversation', async () => {
    const first = await ask('svc/cheap');
    await toggle(key, first.id, false);
    await untilEffective();
    const messages = [...sayAs(easy), { role: 'assistant', content: 'Hello.' }, ...sayAs('Thanks.')];
    const next = await askRouted(key, { model: 'svc/cheap', messages });
    expect(next.id).not.toBe(first.id);
  });

  it('if the rules exclude every model, the request returns 400 with the rule that excluded each model', async () => {
    await changePreferences(key, { allowed_providers: ['mistral'], max_cost_usd_per_mtok: 0.000_001 });
    await untilEffective();
    const body = { model: 'svc/auto', messages: sayAs(easy) };
    const answer = await send(baseUrl, { path: '/v1/chat/completions', key, body });
    expectError(answer, { ...invalid, code: 'no_candidate_model', param: 'model' });
    const prices = await listPrices(key);
    expect(prices.size).toBeGreaterThan(20);
    for (const id of prices.keys()) expect(answer.text).toContain(id);
    for (const rule of ['provider_not_allowed', 'above_max_cost']) expect(answer.text).toContain(rule);
  });
});

it('routing chooses only models with the capabilities that a request needs', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
  const content = [{ type: 'text', text: 'What is this?' }, image];
  const { choice, id } = await askRouted(key, { model: 'svc/cheap', messages: [{ role: 'user', content }] });
  const blind = choice.excluded.filter(({ rule }) => rule === 'no_images').map((each) => each.id);
  expect(blind.length).toBeGreaterThan(0);
  expect(blind).not.toContain(id);
});

it('with live=true, the list of models includes models that only a provider lists', async () => {
  const ids = async (path: string) => {
    const { data } = await callFor(modelList, 200, { path, key });
    return data.map(({ id }) => id);
  };
  expect(await ids('/v1/models')).not.toContain('openai/a-model-of-tomorrow');
  const live = await ids('/v1/models?live=true');
  for (const { name } of world.providers) expect(live).toContain(`${name}/a-model-of-tomorrow`);
});
