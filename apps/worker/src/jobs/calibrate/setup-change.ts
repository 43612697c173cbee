/**
 * The setup of a conversation consists of its tool list, model and ranker. If the log does not contain a part of the
 * setup, the part is null.
 */
export type Setup = readonly [toolList: string | null, model: string | null, ranker: string | null];

/**
 * Minimum number of conversations after the first use of a new value in the setup. A new value in fewer
 * conversations does not count as a change.
 */
const conversationsMin = 5;
/** Minimum share of the conversations since a new value's first use in which the value must occur. */
const shareMin = 0.5;

/**
 * The index of the first conversation after the newest change of the tool list, the model or the ranker. A new value
 * counts as a change only if most conversations after its first use also have the new value. Tool lists that change
 * with every conversation, and models on trial, do not count as changes. Returns null if the setup did not change.
 */
export function findChange(conversations: readonly { readonly setup: Setup }[]): number | null {
  const changes = [0, 1, 2].flatMap((part) => findPart(conversations, part) ?? []);
  return changes.length === 0 ? null : Math.max(...changes);
}

function findPart(conversations: readonly { readonly setup: Setup }[], part: number): number | null {
  const uses = new Map<string, { readonly first: number; count: number }>();
  let known = 0;
  for (const [at, { setup }] of conversations.entries()) {
    const value = setup[part];
    if (typeof value !== 'string') continue;
    const use = uses.get(value);
    if (use === undefined) uses.set(value, { first: at, count: 1 });
    else use.count += 1;
    known += 1;
  }
  if (known === 0) return null;
  const [oldest] = uses.values();
  const changes = [...uses.values()].filter(({ first, count }) => {
    const since = conversations.length - first;
    return first > (oldest?.first ?? 0) && since >= conversationsMin && count >= since * shareMin;
  });
  return changes.length === 0 ? null : Math.max(...changes.map(({ first }) => first));
}
