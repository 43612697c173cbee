import { createHash } from 'node:crypto';

const prefix = 'call_g_';

/**
 * Creates an id for a tool call without an id. The same tool call always gets the same id. The call id is
 * unique in the conversation if `place` is unique. The call id is short enough for every format (OpenAI
 * accepts 40 characters).
 */
export function createCallId(place: string, name: string): string {
  return prefix + createHash('sha256').update(`${place}\n${name}`).digest('hex').slice(0, 24);
}

/**
 * Whether the gateway created the call id. Gemini does not accept call ids that the gateway created. Gemini
 * matches tool calls and results by name and order.
 */
function isCreatedCallId(id: string): boolean {
  return /^call_g_[0-9a-f]{24}$/.test(id);
}

/** Renders a call id. Call ids that the gateway created are omitted. */
export function renderCallId(id: string): { id?: string } {
  return isCreatedCallId(id) || id === '' ? {} : { id };
}

/**
 * Matches tool results to tool calls. A tool result without an id belongs to the next tool call with the same
 * name.
 */
export interface CallIds {
  readonly ofCall: (given: string | undefined, name: string) => string;
  readonly ofResult: (given: string | undefined, name: string) => string;
}

export function createCallIds(): CallIds {
  const waiting = new Map<string, string[]>();
  let count = 0;
  const create = (name: string): string => createCallId(`request ${(count += 1)}`, name);
  return {
    ofCall(given, name) {
      const id = given ?? create(name);
      const queue = waiting.get(name) ?? [];
      queue.push(id);
      waiting.set(name, queue);
      return id;
    },
    ofResult(given, name) {
      const queue = waiting.get(name) ?? [];
      const at = given === undefined ? 0 : queue.indexOf(given);
      const [found] = at === -1 ? [] : queue.splice(at, 1);
      return given ?? found ?? create(name);
    },
  };
}
