/** An entry of the command palette. */
export interface Command {
  readonly label: string;
  /** The address below `/dashboard`. */
  readonly address: string;
}

/** Pages and tabs, with further words by which users look for them. */
const places: readonly (Command & { readonly words?: string })[] = [
  { label: 'Welcome', address: '/welcome', words: 'start setup snippet' },
  { label: 'Playground', address: '/playground', words: 'chat try test' },
  { label: 'Overview', address: '/overview', words: 'savings usage cost latency recall' },
  { label: 'Requests', address: '/requests', words: 'log' },
  { label: 'Failed requests', address: '/requests?status=error', words: 'errors log' },
  { label: 'Most expensive requests', address: '/requests?sort=cost_usd', words: 'cost log' },
  { label: 'Slowest requests', address: '/requests?sort=duration', words: 'latency duration log' },
  { label: 'Sessions', address: '/sessions', words: 'conversations' },
  { label: 'Tool health', address: '/tool-health', words: 'tools descriptions' },
  { label: 'Recall alerts', address: '/tool-health?tab=alerts', words: 'missed tools' },
  { label: 'Tool suggestions', address: '/tool-health?tab=suggestions', words: 'descriptions' },
  { label: 'Routing preferences', address: '/routing', words: 'mode pruning compression fallbacks' },
  { label: 'Models', address: '/routing?tab=models', words: 'prices' },
  { label: 'Insights', address: '/routing?tab=insights', words: 'best recall fastest models' },
  { label: 'Calibration', address: '/routing?tab=calibration', words: 'recall k buckets' },
  { label: 'Traces', address: '/routing?tab=traces', words: 'decisions' },
  { label: 'Keys', address: '/keys', words: 'api key budget limits' },
  { label: 'Providers', address: '/providers', words: 'connect credential' },
  { label: 'Billing', address: '/billing', words: 'invoice plan' },
  { label: 'Audit log', address: '/audit', words: 'events changes' },
  { label: 'Account', address: '/account', words: 'settings password retention policy' },
];

/**
 * Finds the entries for a text. Every word of the text must occur in the entry. Entries with a label that starts with the
 * text come first. The last entry searches the request log for the text.
 */
export function findCommands(text: string): readonly Command[] {
  const wanted = text.trim();
  if (wanted === '') return places;
  const words = wanted.toLowerCase().split(/\s+/);
  const found = places
    .filter(({ label, words: more = '' }) => {
      const whole = `${label} ${more}`.toLowerCase();
      return words.every((word) => whole.includes(word));
    })
    .toSorted((one, other) => rank(one, words) - rank(other, words));
  const address = `/requests?${new URLSearchParams({ search: wanted }).toString()}`;
  return [...found, { label: `Search requests for “${wanted}”`, address }];
}

function rank({ label }: Command, [first = '']: readonly string[]): number {
  return label.toLowerCase().startsWith(first) ? 0 : 1;
}
