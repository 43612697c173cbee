import type { JsonObject } from '@gateway/interchange';
import { asObject, otherMembers } from '../../json/read-members.ts';
import { ownMembersOf } from '../../common/own-members.ts';

/** Fields that only this format defines. Their field `spelling` records how the request spelled a known value. */
export const own = ownMembersOf('cohere');

export function readSpelling(holder: Parameters<typeof own.read>[0]): JsonObject {
  return asObject(own.read(holder).spelling) ?? {};
}

/** The format's own fields, as they are rendered. */
export function readRest(holder: Parameters<typeof own.read>[0]): JsonObject {
  return otherMembers(own.read(holder), ['spelling']);
}
