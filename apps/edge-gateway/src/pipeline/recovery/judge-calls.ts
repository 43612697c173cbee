import type { ResponseSummary } from '@gateway/interchange';
import type { ClientWireFormat } from '@gateway/wire-formats';
import { checkArguments } from './check-arguments.ts';
import type { ParsedRequest } from '../../request/request.ts';

/** Calls of one answer that are looked at. */
const callsMax = 16;

/** Calls whose arguments the client's own definition of the tool refuses. */
export interface InvalidCalls {
  /** Of tools that went out as the client wrote them. */
  readonly asWritten: number;
  /** Of tools whose definition was shortened: more of them than of the others would say that shortening harms. */
  readonly shortened: number;
}

/** Judges an answer's calls by the definitions as the client wrote them. Never throws: a schema may be anything. */
export type JudgeCalls = (calls: ResponseSummary['toolCalls']) => InvalidCalls;

export function openCallJudge(
  { outline, tape }: ParsedRequest,
  format: ClientWireFormat,
  { schemaEdits }: { readonly schemaEdits: ReadonlyMap<number, unknown> },
): JudgeCalls {
  return (calls) => {
    const invalid = { asWritten: 0, shortened: 0 };
    for (const { name, argumentsText } of calls.slice(0, callsMax)) {
      const tool = outline.tools.find((each) => each.name === name && !each.builtIn);
      if (tool === undefined || argumentsText === null) continue;
      try {
        const [definition] = format.client.toolDefinitions(tape, [tool]);
        if (checkArguments(definition?.parameters, argumentsText).length === 0) continue;
        invalid[schemaEdits.has(tool.index) ? 'shortened' : 'asWritten'] += 1;
      } catch {
        // What cannot be judged is not said to be wrong.
      }
    }
    return invalid;
  };
}
