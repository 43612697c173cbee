import { listBlockCalls } from '../../common/outline-request.ts';
import type { JsonTape } from '../../json/json-tape.ts';
import type { CallPlace } from '../../common/format.ts';

/** The calls that the client answers. Those of the provider's own carry their results with them. */
export function listCalls(tape: JsonTape): CallPlace[] {
  return listBlockCalls(tape, {
    idMember: 'toolUseId',
    bodyOf: (_, block) => {
      const body = tape.get(block, 'toolUse');
      const isServers = body !== undefined && tape.stringValue(tape.get(body, 'type')) === 'server_tool_use';
      return isServers ? undefined : body;
    },
  });
}
