import { loadCatalog } from '@gateway/model-catalog';
import { chooseTarget } from './choose-target.ts';

function chooseLane(model: string, isNamed: boolean) {
  const connected = new Set(['groq', 'openai', 'anthropic']);
  const tools = { hasTools: false, effort: () => undefined };
  const wanted = { model, isNamed, format: 'responses', connected, ownCredential: null, tools } as const;
  const { lane, path } = chooseTarget(wanted, loadCatalog());
  return [lane.kind, lane.format, path];
}

test('the proxied Responses endpoint of a provider serves only the model that the client names', () => {
  expect(chooseLane('groq/a-model', true)).toEqual(['same-format', 'responses', '/responses']);
  expect(chooseLane('groq/a-model', false)).toEqual(['translated', 'chat-completions', undefined]);
});

test.each([true, false])('a provider with the Responses API keeps the format (named: %s)', (isNamed) => {
  expect(chooseLane('openai/gpt-5.4', isNamed).slice(0, 2)).toEqual(['same-format', 'responses']);
  expect(chooseLane('anthropic/claude-sonnet-4-5', isNamed)[0]).toBe('translated');
});
