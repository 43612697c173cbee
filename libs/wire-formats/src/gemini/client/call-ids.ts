import { createCallId } from '../call-id.ts';

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
