/** The decision about a request's tools, as shown in the request log, the traces and the playground. */
interface Decision {
  /** The number of tools that the plan chose by rank. Null if the plan chose all tools. */
  readonly k: number | null;
  /** The reason for K (the number of ranked tools). Null if the request had no tools. */
  readonly k_reason: string | null;
}

interface Explanation {
  readonly text: string;
  /** Text that is shown in place of `text` if the plan chose all tools. */
  readonly whole?: string;
}

/**
 * The explanations of K (the number of ranked tools) by reason. The page docs/internals/tool-selection.md
 * describes the reasons.
 */
const reasons: Readonly<Record<string, Explanation>> = {
  calibrated: {
    text: 'K was measured on shadow conversations of this account.',
    whole: 'The K measured on shadow conversations covers the whole list, so all tools were sent.',
  },
  prior: {
    text: 'K is a shipped default (prior) until this account has enough measurements.',
    whole: 'The shipped default (prior) covers the whole list, so all tools were sent.',
  },
  override: {
    text: 'K is set on the API key.',
    whole: 'The K of the API key covers the whole list, so all tools were sent.',
  },
  frozen: {
    text: 'Later requests of the conversation keep the same tool set, so that the prompt cache stays valid.',
    whole: 'Later requests of the conversation keep sending all tools, so that the prompt cache stays valid.',
  },
  grown: { text: 'The new user turn needed more tools, so tools were added to the set.' },
  decided: {
    text: 'Earlier requests sent all tools, because their turns say nothing about tools or the plan was late. This request chose the tool set.',
  },
  short_list: { text: 'The tool list is short, so all tools were sent.' },
  uncertain: {
    text: 'The request does not show which tools it needs, or cannot use recovery, so all tools were sent. A later turn may choose the tool set.',
  },
  shadow: {
    text: 'In this shadow conversation, all tools were sent, and the plan was only recorded for measurement.',
  },
  bound_thinking: {
    text: 'The model’s reasoning needs the same tools in the whole conversation. The conversation began with all tools, so they were sent unchanged.',
  },
  thread: {
    text: 'The provider keeps the transcript of this message thread, so the request was sent unchanged.',
  },
  stateful: {
    text: 'The provider stores the response of this request or of an earlier request, so the request was sent unchanged.',
  },
  net_negative: { text: 'Pruning would have cost more than it saves, so all tools were sent.' },
  recall_off: {
    text: 'Pruning is off for conversations like this one, because their measured recall does not meet the target. All tools were sent.',
  },
  timeout: {
    text: 'The plan was not ready in time, so all tools were sent. The next request chooses the tool set if that pays.',
  },
  unavailable: { text: 'The planner was unavailable, so all tools were sent.' },
  invalid_plan: { text: 'The plan was invalid and was dropped, so all tools were sent.' },
  budget_exhausted: { text: 'The budget of saved tokens is used up, so all tools were sent.' },
  budget_unknown: { text: 'The budget of saved tokens could not be read, so all tools were sent.' },
  off: { text: 'Pruning is off for this request, so all tools were sent.' },
};

/** The reasons for K (the number of ranked tools), as the API spells them. */
export const reasonNames: readonly string[] = Object.keys(reasons);

/**
 * Explains the choice of a request's tools, with K (the number of ranked tools). In a shadow conversation,
 * the plan was not applied, so the text explains the K of the plan.
 */
export function explainDecision({ k, k_reason }: Decision): string {
  if (k_reason === null) return 'The request had no tools to choose from.';
  const { text, whole = text } = reasons[k_reason] ?? { text: `Reason: ${k_reason}.` };
  if (k === null) return whole;
  return k_reason === 'shadow' ? `${text} The plan’s K = ${k}.` : `K = ${k}. ${text}`;
}

/** A short description of a request's K (the number of ranked tools), for narrow columns of a page. */
export function describeK({ k, k_reason }: Decision): string {
  if (k_reason === null) return 'no tools';
  if (k === null) return 'all tools sent';
  return k_reason === 'shadow' ? `all tools sent (shadow, K = ${k})` : `K = ${k}`;
}

/** An explanation of K (the number of ranked tools), shown where a page first mentions K. */
export const meaningOfK =
  'K is the number of tools sent by rank. Tools that are always included do not count.';

/** Describes a bucket such as `act:101-250` in words. */
export function describeBucket(bucket: string): string {
  const [intent = '', band = ''] = bucket.split(':');
  return `${intent === '*' ? 'all intents' : intent}, ${band} tools`;
}

/**
 * Extracts the version of the account's routing policy from a plan's version (`<ranker>/<prior>/<policy>`).
 * Null until the account has a policy.
 */
export function policyOf(toolsetVersion: string | null): string | null {
  return toolsetVersion?.split('/')[2] ?? null;
}

/** The reasons for which a tool is forwarded regardless of its rank. */
const alwaysIn: Readonly<Record<string, string>> = {
  called: 'called before',
  tool_choice: 'named by tool_choice',
  mentioned: 'named by the user',
  built_in: 'built in',
  cache_control: 'has a prompt-cache marker',
  core: 'basic tool of an agent',
  system_prompt: 'named by the instructions',
};

export function explainAlwaysIn(reason: string): string {
  return alwaysIn[reason] ?? reason.replaceAll('_', ' ');
}

const lanes: Readonly<Record<string, string>> = {
  untouched: 'the client’s request, unchanged',
  edited: 'the client’s request, edited only where the plan changed it',
  translated: 'translated into the provider’s format',
};

export function explainLane(lane: string | null): string {
  return lane === null ? 'never forwarded' : (lanes[lane] ?? lane);
}
