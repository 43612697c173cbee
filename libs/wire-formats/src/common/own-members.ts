import type { Extensions, JsonObject, ProviderFormat } from '@gateway/interchange';
import { isEmpty } from '../json/read-members.ts';

/** A format's access to what it alone knows of a part, an event or a request. */
export interface OwnMembers {
  readonly of: (members: JsonObject) => Extensions;
  /** For spreading into what holds them; nothing when there is nothing. */
  readonly with: (members: JsonObject) => { extensions?: Extensions };
  /** What the format once kept for itself. */
  readonly read: (holder: { readonly extensions?: Extensions } | undefined) => JsonObject;
}

export function ownMembersOf(format: ProviderFormat): OwnMembers {
  const of = (members: JsonObject): Extensions => ({ [format]: members });
  return {
    of,
    with: (members) => (isEmpty(members) ? {} : { extensions: of(members) }),
    read: (holder) => holder?.extensions?.[format] ?? {},
  };
}
