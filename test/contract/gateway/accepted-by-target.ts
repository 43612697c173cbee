import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
} from '@aws-sdk/client-bedrock-runtime';
import type { ConverseCommandInput } from '@aws-sdk/client-bedrock-runtime';
import { Readable } from 'node:stream';
import { asList, asMembers, asText, type Members } from './answer-reading.ts';
import type { TargetFormat } from './canned-answers.ts';

/**
 * Checks an upstream request against the rules of the provider's API. The rules are derived from the
 * provider's error responses.
 */
export async function expectAccepted(target: TargetFormat, body: Members, isStream: boolean): Promise<void> {
  if (target === 'converse') await expectAwsSays(body, isStream);
  if (target === 'converse') expectTurns(asList(body.messages), 'content');
  if (target === 'messages') expectAnthropicTakes(body);
  if (target === 'chat-completions' || target === 'cohere') expectResultsFollowCalls(asList(body.messages));
  if (target === 'gemini') expectGoogleTakes(body);
}

/** Expects the AWS SDK to serialize the same body. The SDK knows the API schema and drops misplaced fields. */
async function expectAwsSays(body: Members, isStream: boolean): Promise<void> {
  let written = '';
  const requestHandler = {
    handle: ({ body: sent }: { body: string | Uint8Array }) => {
      written = Buffer.from(sent).toString();
      const headers = { 'content-type': 'application/json' };
      return Promise.resolve({ response: { statusCode: 200, headers, body: Readable.from(['{}']) } });
    },
  };
  const sdk = new BedrockRuntimeClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 's' },
    requestHandler,
  });
  const input = { ...(decodeBytes(body) as Members), modelId: 'm' } as unknown as ConverseCommandInput;
  const call = isStream ? sdk.send(new ConverseStreamCommand(input)) : sdk.send(new ConverseCommand(input));
  await call.catch((error: unknown) => {
    if (written === '') throw error;
  });
  expect(JSON.parse(written)).toEqual(body);
}

/** Decodes base64 fields of the JSON API, because the SDK expects bytes instead. */
function decodeBytes(value: unknown, name = ''): unknown {
  if (typeof value === 'string' && (name === 'bytes' || name === 'redactedContent'))
    return Buffer.from(value, 'base64');
  if (Array.isArray(value)) return value.map((item) => decodeBytes(item));
  if (typeof value !== 'object' || value === null || name === 'input' || name === 'json') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, decodeBytes(member, key)]));
}

/** Checks that turns alternate, and that every turn has content. */
function expectTurns(turns: readonly Members[], content: string): void {
  const roles = turns.map(({ role }) => role);
  roles.slice(1).forEach((role, at) => expect({ at, role }).not.toEqual({ at, role: roles[at] }));
  for (const turn of turns) expect((turn[content] as readonly unknown[]).length).toBeGreaterThan(0);
}

function expectAnthropicTakes(body: Members): void {
  expect(body.max_tokens).toEqual(expect.any(Number));
  const known = new Set<string>();
  for (const block of asList(body.messages).flatMap(({ content }) => asList(content))) {
    if (block.type === 'text') expect(asText(block.text)).toMatch(/\S/);
    if (block.type === 'tool_use') {
      known.add(asText(block.id));
      expect(block.id).toEqual(expect.stringMatching(/^[a-zA-Z0-9_-]+$/));
      expect(asMembers(block.input)).toBe(block.input);
    }
    if (block.type === 'tool_result') expect(known).toContain(block.tool_use_id);
  }
  for (const tool of asList(body.tools)) expect(asMembers(tool.input_schema).type).toBe('object');
}

function expectResultsFollowCalls(messages: readonly Members[]): void {
  const known = new Set<string>();
  for (const { role, tool_calls: calls, tool_call_id: id } of messages) {
    for (const call of asList(calls)) {
      known.add(asText(call.id));
      expect(asMembers(call.function ?? call.custom).name).toEqual(expect.stringMatching(/./));
    }
    if (role === 'tool') expect(known).toContain(id);
  }
}

function expectGoogleTakes(body: Members): void {
  const contents = asList(body.contents);
  for (const { role } of contents) expect(['user', 'model']).toContain(role);
  for (const part of contents.flatMap(({ parts }) => asList(parts))) {
    expect(Object.keys(part).length).toBeGreaterThan(0);
    const { functionCall, functionResponse } = part;
    if (functionCall !== undefined)
      expect(asMembers(asMembers(functionCall).args)).toBe(asMembers(functionCall).args);
    if (functionResponse !== undefined) {
      const { response, name } = asMembers(functionResponse);
      expect([asMembers(response) === response, name]).toEqual([true, expect.stringMatching(/./)]);
    }
  }
}
