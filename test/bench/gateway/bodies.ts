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
function loadTools(): unknown[] {
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

/** The request bodies of the benchmark as JSON text. The field `model` is added later. */
export function renderBodies(): Record<'plain' | 'tools' | 'conversation', (model: string) => string> {
  const tools = loadTools();
  const conversation = renderConversation();
  return {
    plain: (model) => JSON.stringify({ model, messages: [question], temperature: 0.2 }),
    tools: (model) => JSON.stringify({ model, messages: [question], tools }),
    conversation: (model) => JSON.stringify({ model, messages: conversation, tools }),
  };
}
