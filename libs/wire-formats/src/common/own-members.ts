import type { Extensions, JsonObject, ProviderFormat } from '@gateway/interchange';
import { isEmpty } from '../json/read-members.ts';

/** Reads and writes the extension fields of one format in a part, an event or a request. */
export interface OwnMembers {
  /** The fields as extensions of the format. */
  readonly of: (members: JsonObject) => Extensions;
  /** For spreading into an object. Adds nothing when there are no fields. */
  readonly with: (members: JsonObject) => { extensions?: Extensions };
  /** The format's fields of an object. Empty when it has none. */
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
