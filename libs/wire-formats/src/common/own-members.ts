import type { Extensions, JsonObject, ProviderFormat } from '@gateway/interchange';
import { isEmpty } from '../json/read-members.ts';

/** Reads and writes one format's extension fields on a part, an event or a request. */
export interface OwnMembers {
  /** Wraps fields as extensions of the format. */
  readonly of: (members: JsonObject) => Extensions;
  /** Returns `{ extensions: of(members) }`, or an empty object if there are no fields. */
  readonly with: (members: JsonObject) => { extensions?: Extensions };
  /**
   * Returns an object's extension fields for the format. Returns an empty object if the format has no
   * extension fields.
   */
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
