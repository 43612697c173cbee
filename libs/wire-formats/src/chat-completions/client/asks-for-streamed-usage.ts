import type { JsonTape } from '../../json/json-tape.ts';

/** Whether the client wants a streamed answer to tell its usage (`stream_options.include_usage`). */
export function asksForStreamedUsage(tape: JsonTape): boolean {
  const options = tape.get(tape.root, 'stream_options');
  const asked = options === undefined ? undefined : tape.get(options, 'include_usage');
  return asked !== undefined && tape.kind(asked) === 'boolean' && tape.value(asked) === true;
}
