/** What a conversation ran with: its tool list, its model, and the ranker. Null where the log does not say. */
export type Setup = readonly [toolList: string | null, model: string | null, ranker: string | null];

/** A new value counts as a change once this many conversations followed its first use. */
const conversationsMin = 5;
/** The part of these conversations that must use it. */
const shareMin = 0.5;

/**
 * The place of the first conversation after the newest change of the tool list, the model or the ranker. A value
 * that was never used before must be used in most conversations from then on: a list that changes with
 * every conversation, or a model on trial, is no change. Null without a change.
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
