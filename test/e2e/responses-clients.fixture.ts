/** Agents that run a whole tool loop on `/v1/responses`, either with an SDK or in the same way as Codex. */
import { createOpenAI } from '@ai-sdk/openai';
import { SseDecoder } from '@gateway/wire-formats';
import { Agent, OpenAIProvider, Runner, tool as agentTool } from '@openai/agents';
import { generateText, stepCountIs, streamText, tool as aiTool } from 'ai';
import OpenAI from 'openai';
import type { ResponseInput } from 'openai/resources/responses/responses';
import { z } from 'zod';
import { send } from './http.fixture.ts';

/** The final text of a tool loop, with each tool call as `name input`. */
export interface LoopResult {
  readonly text: string;
  readonly calls: readonly string[];
}

export interface LoopGiven {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
  readonly stream: boolean;
}

export const prompt = 'Get the weather in Rome';
const description = 'Returns the weather of a city.';
const city = z.object({ city: z.string() });
const weatherOf = (given: { city: string }): string => `18 °C in ${given.city}`;

const weather: OpenAI.Responses.FunctionTool = {
  ...{ type: 'function', name: 'get_weather', description, strict: true },
  parameters: {
    ...{ type: 'object', properties: { city: { type: 'string' } } },
    ...{ required: ['city'], additionalProperties: false },
  },
};

const roundsMax = 5;
const stateless = { store: false, include: ['reasoning.encrypted_content'] } as const;

/** Runs the tool loop with OpenAI's SDK, and sends all output items back to the gateway. */
export async function runOpenAi({ baseUrl, key, model, stream }: LoopGiven): Promise<LoopResult> {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  const input: ResponseInput = [{ role: 'user', content: prompt }];
  const calls: string[] = [];
  for (let round = 0; round < roundsMax; round += 1) {
    const request = { model, input, tools: [weather], ...stateless, include: [...stateless.include] };
    const response = stream
      ? await client.responses.stream({ ...request, stream: true }).finalResponse()
      : await client.responses.create(request);
    input.push(...(response.output as ResponseInput));
    const called = response.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    if (called.length === 0) return { text: response.output_text, calls };
    for (const { call_id, name, arguments: given } of called) {
      calls.push(`${name} ${given}`);
      const output = weatherOf(city.parse(JSON.parse(given)));
      input.push({ type: 'function_call_output', call_id, output });
    }
  }
  throw new Error('the tool loop did not end');
}

/** The APIs that an SDK can use to run a tool loop. */
type LoopApi = 'responses' | 'chat-completions';

/** Runs the tool loop with OpenAI's Agents SDK. */
export async function runAgentsSdk(
  { baseUrl, key, model, stream }: LoopGiven,
  api: LoopApi = 'responses',
): Promise<LoopResult> {
  const openAIClient = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key, maxRetries: 0 });
  const modelProvider = new OpenAIProvider({ openAIClient, useResponses: api === 'responses' });
  const calls: string[] = [];
  const getWeather = agentTool({
    ...{ name: 'get_weather', description, parameters: city },
    execute: (given) => {
      calls.push(`get_weather ${JSON.stringify(given)}`);
      return weatherOf(given);
    },
  });
  const modelSettings =
    api === 'responses' ? { store: false, providerData: { include: stateless.include } } : {};
  const agent = new Agent({
    name: 'Helper',
    instructions: 'Be brief.',
    model,
    modelSettings,
    tools: [getWeather],
  });
  const runner = new Runner({ modelProvider, tracingDisabled: true });
  if (!stream) return { text: String((await runner.run(agent, prompt)).finalOutput), calls };
  const result = await runner.run(agent, prompt, { stream: true });
  const events: unknown[] = [];
  for await (const event of result) events.push(event);
  await result.completed;
  return { text: String(result.finalOutput), calls };
}

/** Runs the tool loop with the Vercel AI SDK. */
export async function runAiSdk(
  { baseUrl, key, model, stream }: LoopGiven,
  api: LoopApi = 'responses',
): Promise<LoopResult> {
  const provider = createOpenAI({ baseURL: `${baseUrl}/v1`, apiKey: key });
  const calls: string[] = [];
  const getWeather = aiTool({
    ...{ description, inputSchema: city },
    execute: (given) => {
      calls.push(`get_weather ${JSON.stringify(given)}`);
      return weatherOf(given);
    },
  });
  const settings = {
    ...{
      model: api === 'responses' ? provider(model) : provider.chat(model),
      prompt,
      maxRetries: 0,
      tools: { get_weather: getWeather },
    },
    ...{ stopWhen: stepCountIs(roundsMax) },
    providerOptions: api === 'responses' ? { openai: { store: false, include: [...stateless.include] } } : {},
  };
  if (!stream) return { text: (await generateText(settings)).text, calls };
  const failures: unknown[] = [];
  const result = streamText({ ...settings, onError: ({ error }) => void failures.push(error) });
  await result.consumeStream();
  if (failures.length > 0) throw failures[0] as Error;
  return { text: await result.text, calls };
}

type Item = Readonly<Record<string, unknown>>;

const applyPatch = {
  ...{ type: 'custom', name: 'apply_patch', description: 'Edits files with a patch.' },
  format: { type: 'grammar', syntax: 'lark', definition: 'start: "*** Begin Patch" LF hunk+ end' },
};
const shell = {
  ...{ type: 'function', name: 'shell', description: 'Runs a command.', strict: false },
  parameters: {
    ...{ type: 'object', required: ['command'], additionalProperties: false },
    properties: { command: { type: 'array', items: { type: 'string' } } },
  },
};

/**
 * Runs the tool loop as Codex does, with streaming, stateless requests and encrypted reasoning. The agent has
 * a freeform patch tool and a function. Codex collects output items from `response.output_item.done` events,
 * and sends all items back.
 */
export async function runCodex({ baseUrl, key, model }: Omit<LoopGiven, 'stream'>): Promise<LoopResult> {
  const ask = (text: string, role: string): Item => ({
    ...{ type: 'message', role },
    content: [{ type: 'input_text', text }],
  });
  const input: Item[] = [ask('Sandbox: off', 'developer'), ask('Apply the patch to a.txt', 'user')];
  const calls: string[] = [];
  for (let round = 0; round < roundsMax; round += 1) {
    const body = {
      ...{ model, instructions: 'You are a coding agent.', input, tools: [shell, applyPatch] },
      ...{ tool_choice: 'auto', parallel_tool_calls: false, prompt_cache_key: 'thread-1' },
      ...{ reasoning: { effort: 'medium' }, ...stateless, stream: true },
    };
    const headers = { accept: 'text/event-stream', originator: 'codex_cli_rs', 'session-id': 'thread-1' };
    const answer = await send(baseUrl, { path: '/v1/responses', key, headers, body });
    if (answer.status !== 200) throw new Error(answer.text);
    const items = readItems(answer.bytes);
    input.push(...items);
    const called = items.filter(({ type }) => /^(?:function|custom_tool)_call$/.test(String(type)));
    if (called.length === 0) return { text: textOf(items), calls };
    for (const { type, call_id, name, arguments: given, input: text } of called) {
      calls.push(`${String(name)} ${String(type === 'custom_tool_call' ? text : given)}`);
      input.push({ type: `${String(type)}_output`, call_id, output: 'Done.' });
    }
  }
  throw new Error('the tool loop did not end');
}

/** Reads the items of a stream. Codex treats a stream without `response.completed` as broken. */
function readItems(bytes: Buffer): Item[] {
  const events = new SseDecoder().push(bytes).map(({ data }) => JSON.parse(data) as Item);
  const last = events.at(-1);
  if (last?.['type'] !== 'response.completed') throw new Error('stream closed before response.completed');
  const { id, usage } = last['response'] as Item;
  z.object({ id: z.string(), usage: z.looseObject({ total_tokens: z.int() }) }).parse({ id, usage });
  return events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item as Item);
}

function textOf(items: readonly Item[]): string {
  const contents = items.flatMap(({ type, content }) => (type === 'message' ? (content as Item[]) : []));
  return contents.map(({ text }) => String(text)).join('');
}
