import type { JsonObject } from '@gateway/interchange';
import { asObject, otherMembers } from '../../json/read-members.ts';
import { ownMembersOf } from '../../common/own-members.ts';

/**
 * Extension fields that only Cohere's format defines. The `spelling` field records how the client wrote
 * values that the interchange normalizes.
 */
export const own = ownMembersOf('cohere');

export function readSpelling(holder: Parameters<typeof own.read>[0]): JsonObject {
  return asObject(own.read(holder).spelling) ?? {};
}

/** Returns Cohere's extension fields to render, which are all extension fields except `spelling`. */
export function readRest(holder: Parameters<typeof own.read>[0]): JsonObject {
  return otherMembers(own.read(holder), ['spelling']);
}
