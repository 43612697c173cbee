import type { ClientFormat } from '@gateway/interchange';

/** The format of an endpoint's errors, by its address: what a client of that endpoint can read. */
export function formatOfPath(path: string): ClientFormat {
  if (/^\/v1\/messages(?:[/?]|$)/.test(path)) return 'messages';
  return /^\/model\/[^/]+\/converse/.test(path) ? 'converse' : 'chat-completions';
}
