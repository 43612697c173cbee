import type { ResponseSummary } from '@gateway/interchange';
import type { ClientWireFormat } from '@gateway/wire-formats';
import { checkArguments } from './check-arguments.ts';
import type { RecoveryToolCall } from './recovery-tool.ts';
import { parseRecoveryToolCall } from './recovery-tool.ts';
import type { Recovery } from './recovery.ts';
import type { ParsedRequest } from '../../request/request.ts';

/** A finished call, as the model made it. */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** What is to become of a call. Only the first goes to the client; the others are answered here. */
export type Verdict =
  | {
      readonly kind: 'deliver';
      readonly name: string;
      readonly argumentsText: string;
      /** Whether the tool had been left out. */
      readonly recovered: boolean;
    }
  | { readonly kind: 'describe'; readonly names: readonly string[]; readonly need: string | null }
  /** The arguments do not fit. Once for a tool: if the model insists, it is delivered. */
  | {
      readonly kind: 'correct';
      readonly name: string;
      readonly argumentsText: string;
      readonly problems: readonly string[];
    }
  | { readonly kind: 'original'; readonly id: string }
  | { readonly kind: 'refuse'; readonly text: string };

type JudgingRecovery = Pick<Recovery, 'recoveryTool' | 'statusOf' | 'describe'>;

/** Whether a call has to be held back until it is whole: it may be none of the client's business. */
export function isWithheld({ recoveryTool, statusOf }: JudgingRecovery, name: string): boolean {
  if (name === recoveryTool.name) return true;
  const standing = statusOf(name);
  return standing === 'pruned' || standing === 'denied';
}

/** @param corrected tools whose arguments were found wrong once in this request. */
export function judgeCall(
  recovery: JudgingRecovery,
  call: MadeCall,
  corrected: ReadonlySet<string>,
): Verdict {
  if (call.name !== recovery.recoveryTool.name)
    return judgeTarget(recovery, call.name, call.argumentsText, corrected);
  const asked: RecoveryToolCall = parseRecoveryToolCall(call.argumentsText);
  switch (asked.action) {
    case 'describe':
      return { kind: 'describe', names: asked.names, need: asked.need };
    case 'call':
      return judgeTarget(recovery, asked.name, asked.argumentsText, corrected);
    case 'original':
      return { kind: 'original', id: asked.id };
    case 'unclear':
      return { kind: 'refuse', text: `Not understood. ${howToCall}` };
  }
}

const howToCall =
  'Give {"action":"describe","names":[…]}, {"action":"describe","need":"…"} or {"action":"call","name":"…","arguments":{…}}.';

function judgeTarget(
  recovery: JudgingRecovery,
  name: string,
  argumentsText: string,
  corrected: ReadonlySet<string>,
): Verdict {
  const standing = recovery.statusOf(name);
  if (standing === 'forwarded') return { kind: 'deliver', name, argumentsText, recovered: false };
  // One answer for both: what the key may not use is as good as not there.
  if (standing !== 'pruned') return { kind: 'refuse', text: `There is no tool "${name.slice(0, 200)}".` };
  const [definition] = recovery.describe([name]);
  const problems = corrected.has(name) ? [] : checkArguments(definition?.parameters, argumentsText);
  return problems.length === 0
    ? { kind: 'deliver', name, argumentsText, recovered: true }
    : { kind: 'correct', name, argumentsText, problems };
}

/** Calls of one answer that are looked at. */
const callsMax = 16;

/** Calls whose arguments the client's own definition of the tool refuses. */
interface InvalidCalls {
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
