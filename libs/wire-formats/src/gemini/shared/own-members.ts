import type { JsonObject } from '@gateway/interchange';
import { asObject, otherMembers } from '../../json/read-members.ts';
import { ownMembersOf } from '../../common/own-members.ts';

/** What only Gemini's format knows. The member `spelling` of it says how a request wrote what the interchange carries. */
export const own = ownMembersOf('gemini');

export function readSpelling(holder: Parameters<typeof own.read>[0]): JsonObject {
  return asObject(own.read(holder).spelling) ?? {};
}

/** The members of the format's own, as they go into the body. */
export function readRest(holder: Parameters<typeof own.read>[0]): JsonObject {
  return otherMembers(own.read(holder), ['spelling']);
}

/**
 * An object of the API with its members' names in lower camel case, without those that are null. Protocol buffers'
 * JSON takes both spellings (protobuf.dev, "ProtoJSON Format"). Not recursive: what lies deeper may be the client's.
 */
export function camelMembers(raw: JsonObject): JsonObject {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value === null || name === '__proto__') continue;
    members[camelName(name)] = value;
  }
  return members;
}

function camelName(name: string): string {
  return name.includes('_')
    ? name.replaceAll(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}
