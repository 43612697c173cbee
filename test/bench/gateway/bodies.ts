import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GrowingBody } from './load.ts';

interface ToolRecord {
  readonly dataset: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

const question = {
  role: 'user',
  content: 'List the open pull requests of the repository and tell me which ones wait for my review.',
};

/** The first 100 tools of the GitHub MCP server, in the format that an OpenAI client sends. */
function loadTools() {
  const file = join(import.meta.dirname, '../../../../shared/data/tools/tools.jsonl');
  const records = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ToolRecord);
  return records
    .filter(({ dataset }) => dataset === 'github_mcp')
    .slice(0, 100)
    .map(({ name, description, parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    }));
}

const paragraph =
  'The quick review of "module" shows that the loader\treads each line twice;\nconst total = items.reduce((a, b) => a + b, 0);\n';
const turnText = paragraph.repeat(34);

/** Creates a conversation of ordinary prose and code, in turns of 4 kB. */
function renderTurns(turns: number) {
  return Array.from({ length: turns }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${turnText}`,
  }));
}

/** The conversation has about 1 MB of JSON text. */
const renderConversation = (): unknown[] => [...renderTurns(240), question];

/** Number of requests after which a growing conversation starts over as a new conversation. */
const requestsOfConversation = 20;
/** An estimate of the bytes per token in the shipped text. */
const bytesPerToken = 4;
const numberMark = '<number>';

/**
 * The requests of a conversation with 100 tools. The first request has about `tokens` tokens. Each later
 * request adds the model's last response and a new question.
 */
export function renderGrowing(tokens: number, model: string): GrowingBody {
  const tools = loadTools();
  const turns = renderTurns(2 * Math.floor((tokens * bytesPerToken) / turnText.length / 2));
  const opening = { role: 'user', content: `Conversation ${numberMark}` };
  const messages: unknown[] = [opening, { role: 'assistant', content: 'Go on.' }, ...turns];
  return Array.from({ length: requestsOfConversation }, (_, request) => {
    messages.push({ role: 'user', content: `${request}: ${question.content}` });
    const text = JSON.stringify({ model, messages, tools });
    messages.push({ role: 'assistant', content: `Three pull requests wait for you (${request}).` });
    const at = text.indexOf(numberMark);
    return [text.slice(0, at), text.slice(at + numberMark.length)] as const;
  });
}

export type BodyKind = 'plain' | 'tools' | 'conversation';
type Bodies = Record<BodyKind, (model: string) => string>;

/** The benchmark's request bodies as JSON text, by format. The field `model` is added to the bodies later. */
export function renderBodies(): Record<'chat-completions' | 'responses', Bodies> {
  const tools = loadTools();
  const conversation = renderConversation();
  const items = { plain: [question], tools: [question], conversation };
  const functions = tools.map((tool) => ({ type: 'function', ...tool.function, strict: false }));
  const chat = (kind: BodyKind) => (model: string) =>
    JSON.stringify({
      model,
      messages: items[kind],
      ...(kind === 'plain' ? { temperature: 0.2 } : { tools }),
    });
  const respond = (kind: BodyKind) => (model: string) => {
    const given = kind === 'plain' ? { temperature: 0.2 } : { tools: functions };
    return JSON.stringify({ model, store: false, input: items[kind], ...given });
  };
  return {
    'chat-completions': { plain: chat('plain'), tools: chat('tools'), conversation: chat('conversation') },
    responses: { plain: respond('plain'), tools: respond('tools'), conversation: respond('conversation') },
  };
}
