import type { RequestOutline } from '@gateway/interchange';
import type { JsonTape } from '@gateway/wire-formats';

/**
 * Whether a request can have a net at all: not where the client forces tools, wants several answers at once (each would
 * ask for other tools), or has begun the answer itself. Whether its model binds its thinking is another question.
 */
export function mayRecover({ outline, tape }: { outline: RequestOutline; tape: JsonTape }): boolean {
  const { mode } = outline.toolChoice;
  if (outline.tools.length === 0 || mode === 'tool' || mode === 'allowed') return false;
  return outline.messages.at(-1)?.role !== 'assistant' && !wantsSeveralAnswers(tape);
}

function wantsSeveralAnswers(tape: JsonTape): boolean {
  const wanted = tape.get(tape.root, 'n');
  return wanted !== undefined && tape.kind(wanted) === 'number' && Number(tape.value(wanted)) > 1;
}
