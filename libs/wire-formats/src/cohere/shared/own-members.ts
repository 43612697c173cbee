import type { JsonObject } from '@gateway/interchange';
import { asObject, otherMembers } from '../../json/read-members.ts';
import { ownMembersOf } from '../../common/own-members.ts';

/** What only Cohere's format knows. The member `spelling` of it says how a request wrote what the interchange carries. */
export const own = ownMembersOf('cohere');

export function readSpelling(holder: Parameters<typeof own.read>[0]): JsonObject {
  return asObject(own.read(holder).spelling) ?? {};
}

/** The members of the format's own, as they go into the body. */
export function readRest(holder: Parameters<typeof own.read>[0]): JsonObject {
  return otherMembers(own.read(holder), ['spelling']);
}
