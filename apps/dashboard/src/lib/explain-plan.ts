/** Why K was what it was, in a sentence: docs/internals/tool-selection.md. */
const kReasons: Readonly<Record<string, string>> = {
  calibrated: 'K was measured on this account’s own shadow sessions.',
  prior: 'K comes from the shipped priors, until this account has measured enough shadow sessions.',
  override: 'K is the key’s own override.',
  frozen: 'A later request of the session: its set of tools stands, so that the prompt cache holds.',
  grown: 'The user’s new turn needed more, and the session’s set grew.',
  short_list: 'The list is short: all tools went out.',
  uncertain: 'The turn says nothing that tools could be chosen by: all tools went out.',
  shadow: 'A shadow session: all tools went out, and the plan was only written down, to measure it.',
  bound_thinking: 'Signed thinking binds the session to its tools: it went out as it came.',
  net_negative: 'Leaving tools out would have cost more than it saves: all tools went out.',
  timeout: 'The plan came too late: all tools went out.',
  unavailable: 'The planner could not be reached: all tools went out.',
  off: 'Pruning is off for this request.',
};

export function explainK(reason: string | null): string {
  if (reason === null) return 'The request had no tools to choose from.';
  return kReasons[reason] ?? `Reason: ${reason}`;
}

/** Why a tool goes out whatever its rank. */
const alwaysIn: Readonly<Record<string, string>> = {
  called: 'called before',
  tool_choice: 'named by tool_choice',
  mentioned: 'named by the user',
  built_in: 'built in',
  cache_control: 'has a cache marker',
};

export function explainAlwaysIn(reason: string): string {
  return alwaysIn[reason] ?? reason.replaceAll('_', ' ');
}

const lanes: Readonly<Record<string, string>> = {
  untouched: 'the client’s own bytes went out',
  edited: 'the client’s bytes went out, edited only where the plan said so',
  translated: 'translated into the provider’s format',
};

export function explainLane(lane: string | null): string {
  return lane === null ? 'never forwarded' : (lanes[lane] ?? lane);
}
