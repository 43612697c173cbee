import { randomFrom } from '@gateway/testing';
import { githubTools, type FunctionTool } from './github-tools.fixture.ts';
import { recoveryToolName } from './recovery-cases.fixture.ts';
import type { ModelTurn } from './scripted-model.fixture.ts';

/** Ways in which the model requests a tool that is not in the tool list. The model calls a listed tool directly. */
const styles = ['describe', 'need', 'through', 'by-name'] as const;

interface Need {
  readonly tool: FunctionTool;
  readonly style: (typeof styles)[number];
}

/** One conversation with the user's texts, and the tools that each text requires. */
export interface Conversation {
  readonly id: number;
  readonly tools: readonly FunctionTool[];
  readonly stream: boolean;
  readonly turns: readonly { readonly said: string; readonly needs: readonly Need[] }[];
}

export function writeConversation(id: number): Conversation {
  const random = randomFrom(7_000 + id);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const shuffled = [...githubTools]
    .map((tool) => ({ tool, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ tool }) => tool);
  const tools = shuffled.slice(0, 6 + Math.floor(random() * (shuffled.length - 6)));
  const turns = Array.from({ length: 1 + Math.floor(random() * 2) }, () => {
    const needs = Array.from({ length: Math.floor(random() * 3) }, () => ({
      tool: pick(tools),
      style: pick(styles),
    }));
    const hinted = random() < 0.6 ? needs[0]?.tool : pick(tools);
    const wish = hinted?.function.description?.split('.')[0] ?? 'Hello there';
    return { said: random() < 0.15 ? 'Hello!' : `${wish}.`, needs };
  });
  return { id, tools, stream: random() < 0.5, turns };
}

/** Returns arguments that match a JSON Schema. */
function writeArguments(schema: unknown): unknown {
  const {
    type,
    properties = {},
    required = [],
    items,
    enum: values,
  } = (schema ?? {}) as {
    type?: string;
    properties?: Record<string, unknown>;
    required?: string[];
    items?: unknown;
    enum?: unknown[];
  };
  if (values !== undefined) return values[0];
  if (type === 'array') return [writeArguments(items)];
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type === 'string') return 'text';
  return Object.fromEntries(required.map((name) => [name, writeArguments(properties[name])]));
}

/** A model that follows the script of its conversation in any wire format. The model reads only the request body. */
export class ScriptedModel {
  readonly #conversation: Conversation;
  /** The tool names in each provider request for the current client request. */
  sent: string[][] = [];
  #left: Need[] = [];
  #isDescribed = false;
  #calls = 0;

  constructor(conversation: Conversation) {
    this.#conversation = conversation;
  }

  startTurn(at: number): void {
    this.#left = [...this.#conversation.turns[at]!.needs];
    this.#isDescribed = false;
  }

  answer(names: string[]): ModelTurn {
    this.sent.push(names);
    const [need] = this.#left;
    if (need === undefined) return { text: 'That is all.', inputTokens: 700, outputTokens: 9 };
    const { name, parameters, description = '' } = need.tool.function;
    const args = writeArguments(parameters);
    const isListed = names.includes(name);
    const describes = need.style === 'describe' || need.style === 'need';
    if (!isListed && describes && !this.#isDescribed && names.includes(recoveryToolName)) {
      this.#isDescribed = true;
      const asked = need.style === 'describe' ? { names: [name] } : { need: description };
      return this.#call(recoveryToolName, { action: 'describe', ...asked }, 'Let me look. ');
    }
    this.#left.shift();
    this.#isDescribed = false;
    if (isListed || need.style === 'by-name') return this.#call(name, args);
    return this.#call(recoveryToolName, { action: 'call', name, arguments: args });
  }

  #call(name: string, args: unknown, text?: string): ModelTurn {
    this.#calls += 1;
    const call = { id: `call_${this.#conversation.id}_${this.#calls}`, name, arguments: args };
    return { ...(text === undefined ? {} : { text }), calls: [call], inputTokens: 600, outputTokens: 20 };
  }
}
