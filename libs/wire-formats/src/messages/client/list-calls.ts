import { listBlockCalls } from '../../common/outline-request.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import type { CallPlace } from '../../common/format.ts';

/** The calls that the client answers. Those of server tools have their results beside them. */
export function listCalls(tape: JsonTape): CallPlace[] {
  return listBlockCalls(tape, {
    idMember: 'id',
    bodyOf: (_, block) => {
      const type = tape.get(block, 'type');
      return type !== undefined && tape.isString(type, 'tool_use') ? block : undefined;
    },
  });
}
