import { checkArguments } from './check-arguments.ts';
import { parseStandInCall, type StandInCall } from './parse-stand-in-call.ts';
import type { SafetyNet } from './safety-net.ts';

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

type JudgingNet = Pick<SafetyNet, 'standIn' | 'standingOf' | 'describe'>;

/** Whether a call has to be held back until it is whole: it may be none of the client's business. */
export function isOfNet({ standIn, standingOf }: JudgingNet, name: string): boolean {
  if (name === standIn.name) return true;
  const standing = standingOf(name);
  return standing === 'left_out' || standing === 'denied';
}

/** @param corrected tools whose arguments were found wrong once in this request. */
export function judgeCall(net: JudgingNet, call: MadeCall, corrected: ReadonlySet<string>): Verdict {
  if (call.name !== net.standIn.name) return judgeTarget(net, call.name, call.argumentsText, corrected);
  const asked: StandInCall = parseStandInCall(call.argumentsText);
  switch (asked.action) {
    case 'describe':
      return { kind: 'describe', names: asked.names, need: asked.need };
    case 'call':
      return judgeTarget(net, asked.name, asked.argumentsText, corrected);
    case 'original':
      return { kind: 'original', id: asked.id };
    case 'unclear':
      return { kind: 'refuse', text: `Not understood. ${howToCall}` };
  }
}

const howToCall =
  'Give {"action":"describe","names":[…]}, {"action":"describe","need":"…"} or {"action":"call","name":"…","arguments":{…}}.';

function judgeTarget(
  net: JudgingNet,
  name: string,
  argumentsText: string,
  corrected: ReadonlySet<string>,
): Verdict {
  const standing = net.standingOf(name);
  if (standing === 'forwarded') return { kind: 'deliver', name, argumentsText, recovered: false };
  // One answer for both: what the key may not use is as good as not there.
  if (standing !== 'left_out') return { kind: 'refuse', text: `There is no tool "${name.slice(0, 200)}".` };
  const [definition] = net.describe([name]);
  const problems = corrected.has(name) ? [] : checkArguments(definition?.parameters, argumentsText);
  return problems.length === 0
    ? { kind: 'deliver', name, argumentsText, recovered: true }
    : { kind: 'correct', name, argumentsText, problems };
}
