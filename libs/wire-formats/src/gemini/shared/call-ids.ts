import { createHash } from 'node:crypto';

const prefix = 'call_g_';

/**
 * An id for a call that Gemini gave none: the same for the same call, and unlike that of any other call of the
 * conversation, if `place` is. Short enough for every format (OpenAI takes 40 characters).
 */
export function createCallId(place: string, name: string): string {
  return prefix + createHash('sha256').update(`${place}\n${name}`).digest('hex').slice(0, 24);
}

/** Whether an id is one of ours. Gemini never saw it: calls and results go by name and order then. */
function isCreatedCallId(id: string): boolean {
  return /^call_g_[0-9a-f]{24}$/.test(id);
}

/** Only the ids that Gemini gave, or may take for its own. */
export function renderCallId(id: string): { id?: string } {
  return isCreatedCallId(id) || id === '' ? {} : { id };
}

/** Which results answer which calls of a conversation, where Gemini gives no ids: by name, in order. */
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
