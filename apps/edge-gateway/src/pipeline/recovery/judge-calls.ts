import type { ResponseSummary } from '@gateway/interchange';
import type { ClientWireFormat } from '@gateway/wire-formats';
import { checkArguments } from './check-arguments.ts';
import type { RecoveryToolCall } from './recovery-tool.ts';
import { parseRecoveryToolCall } from './recovery-tool.ts';
import type { Recovery } from './recovery.ts';
import type { ParsedRequest } from '../../request/request.ts';

/** A complete tool call that the model made. */
export interface MadeCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}

/**
 * The decision about a tool call. A tool call with the decision `deliver` is sent to the client. For every other
 * decision, the gateway itself responds to the tool call.
 */
export type Verdict =
  | {
      readonly kind: 'deliver';
      readonly name: string;
      readonly argumentsText: string;
      /** Whether the called tool was pruned. */
      readonly recovered: boolean;
    }
  | { readonly kind: 'describe'; readonly names: readonly string[]; readonly need: string | null }
  /**
   * If a tool call has invalid arguments, the gateway responds with a correction, at most once per tool. If the
   * model repeats an invalid call, the client receives the call.
   */
  | {
      readonly kind: 'correct';
      readonly name: string;
      readonly argumentsText: string;
      readonly problems: readonly string[];
    }
  | { readonly kind: 'original'; readonly id: string }
  | { readonly kind: 'refuse'; readonly text: string };

type JudgingRecovery = Pick<Recovery, 'recoveryTool' | 'statusOf' | 'describe'>;

/**
 * Returns whether a tool call is withheld until it is complete. A call is withheld until the gateway knows whether
 * the client may receive the call.
 */
export function isWithheld({ recoveryTool, statusOf }: JudgingRecovery, name: string): boolean {
  if (name === recoveryTool.name) return true;
  const standing = statusOf(name);
  return standing === 'pruned' || standing === 'denied';
}

/**
 * Decides how a tool call is handled.
 * @param corrected tools for which arguments were already rejected once in this request
 */
export function judgeCall(
  recovery: JudgingRecovery,
  call: MadeCall,
  corrected: ReadonlySet<string>,
): Verdict {
  if (call.name !== recovery.recoveryTool.name)
    return judgeTarget(recovery, call.name, call.argumentsText, corrected);
  const parsed: RecoveryToolCall = parseRecoveryToolCall(call.argumentsText);
  switch (parsed.action) {
    case 'describe':
      return { kind: 'describe', names: parsed.names, need: parsed.need };
    case 'call':
      return judgeTarget(recovery, parsed.name, parsed.argumentsText, corrected);
    case 'original':
      return { kind: 'original', id: parsed.id };
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
  // Denied and unknown tools get the same response.
  // The model cannot tell from the response whether a tool exists that the key may not use.
  if (standing !== 'pruned') return { kind: 'refuse', text: `There is no tool "${name.slice(0, 200)}".` };
  const [definition] = recovery.describe([name]);
  const problems = corrected.has(name) ? [] : checkArguments(definition?.parameters, argumentsText);
  return problems.length === 0
    ? { kind: 'deliver', name, argumentsText, recovered: true }
    : { kind: 'correct', name, argumentsText, problems };
}

/** Maximum number of tool calls checked per response. */
const callsMax = 16;

/** Counts of the tool calls that violate the client's own tool definitions. */
interface InvalidCalls {
  /** Number of invalid calls to tools that were sent with the client's own definition. */
  readonly asWritten: number;
  /**
   * Number of invalid calls to tools with a shortened definition. Shortened definitions are harmful if they lead to
   * a higher share of invalid calls than full definitions.
   */
  readonly shortened: number;
}

/**
 * Checks the tool calls in a response against the client's own definitions. The function never throws, even if a
 * client sends an invalid schema.
 */
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
        // A tool call does not count as invalid if its arguments cannot be checked.
      }
    }
    return invalid;
  };
}
