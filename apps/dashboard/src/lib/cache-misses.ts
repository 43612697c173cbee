import type { CacheReport } from '../api/usage.ts';

type Miss = CacheReport['causes'][number];

const causes: Readonly<Record<Miss['cause'], string>> = {
  client: 'Your client',
  gateway: 'The gateway',
  expired: 'Expiry',
  provider: 'The provider',
};

const details: Readonly<Record<Miss['detail'], string>> = {
  model_changed: 'another model',
  tools_changed: 'other tools',
  tools_reordered: 'the same tools in another order',
  system_changed: 'another system prompt',
  message_edited: 'an earlier message changed',
  idle: 'the cache’s lifetime was over',
  evicted: 'no change: the provider dropped the prompt earlier',
};

/** Describes the cause of a prompt cache miss as text. */
export function describeMiss({ cause, detail }: Pick<Miss, 'cause' | 'detail'>): string {
  return `${causes[cause]}: ${details[detail]}`;
}
