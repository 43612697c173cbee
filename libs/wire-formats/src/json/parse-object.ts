import type { JsonObject } from '@gateway/interchange';
import { asObject } from './read-members.ts';
import { scanJson } from './scan-json.ts';

/** As in a request's body: writing it again must not exhaust the stack. */
const depthMax = 128;

/** The object that a text within a request says (the arguments of a call). Undefined for what is none, or too deep. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const tape = scanJson(Buffer.from(text), { depthMax });
    return asObject(tape.value(tape.root));
  } catch {
    return undefined;
  }
}
