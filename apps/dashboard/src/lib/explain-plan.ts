/** Explains the value of K, the number of tools forwarded by rank: see docs/internals/tool-selection.md. */
const kReasons: Readonly<Record<string, string>> = {
  calibrated: 'K was measured on shadow conversations of this account, which forward all tools.',
  prior: 'K is a shipped default (prior) until this account has enough measurements of its own.',
  override: 'K is set on the API key.',
  frozen:
    'A later request of the conversation: it keeps the same tool set, so that the prompt cache stays valid.',
  grown: 'The new user turn needed more tools, so tools were added to the set.',
  short_list: 'The tool list is short, so all tools were forwarded.',
  uncertain: 'The turn does not show which tools it needs, so all tools were forwarded.',
  shadow: 'A shadow conversation: all tools were forwarded, and the plan was only recorded to measure it.',
  bound_thinking:
    'The conversation contains signed reasoning that needs an unchanged tool list, so the tools were sent unchanged.',
  net_negative: 'Pruning would have cost more than it saves, so all tools were forwarded.',
  recall_off:
    'Measured recall is below the target for conversations like this one, so all tools are forwarded until new measurements meet it.',
  timeout: 'The plan was not ready in time, so all tools were forwarded.',
  unavailable: 'The planner was unavailable, so all tools were forwarded.',
  off: 'Pruning is off for this request.',
};

export function explainK(reason: string | null): string {
  if (reason === null) return 'The request had no tools to choose from.';
  return kReasons[reason] ?? `Reason: ${reason}`;
}

/** Why a tool is forwarded regardless of its rank. */
const alwaysIn: Readonly<Record<string, string>> = {
  called: 'called before',
  tool_choice: 'named by tool_choice',
  mentioned: 'named by the user',
  built_in: 'built in',
  cache_control: 'has a prompt-cache marker',
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
