import type { Extensions, JsonObject } from '@gateway/interchange';
import { isEmpty } from '../json/read-members.ts';

/** What only this format knows, for spreading into a part or an event; nothing when there is nothing. */
export function withOwn(members: JsonObject): { extensions?: Extensions } {
  return isEmpty(members) ? {} : { extensions: ownExtensions(members) };
}

export function ownExtensions(members: JsonObject): Extensions {
  return { 'chat-completions': members };
}

/** What this format once kept for itself. */
export function readOwn(holder: { readonly extensions?: Extensions } | undefined): JsonObject {
  return holder?.extensions?.['chat-completions'] ?? {};
}
