import { readFileSync } from 'node:fs';
import { join } from 'node:path';

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

/**
 * Creates a conversation of ordinary prose and code in turns of 4 kB. The JSON text of the conversation has
 * about 1 MB.
 */
function renderConversation(): unknown[] {
  const paragraph =
    'The quick review of "module" shows that the loader\treads each line twice;\nconst total = items.reduce((a, b) => a + b, 0);\n';
  const turn = paragraph.repeat(34);
  const messages = Array.from({ length: 240 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index}: ${turn}`,
  }));
  return [...messages, question];
}

export type BodyKind = 'plain' | 'tools' | 'conversation';
type Bodies = Record<BodyKind, (model: string) => string>;

/** The request bodies of the benchmark as JSON text, by format. The field `model` is added later. */
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
