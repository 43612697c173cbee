import type { JsonObject } from '@gateway/interchange';
import { asObject, otherMembers } from '../../json/read-members.ts';
import { ownMembersOf } from '../../common/own-members.ts';

/** Fields that only this format defines. Their field `spelling` records how the request spelled a known value. */
export const own = ownMembersOf('gemini');

export function readSpelling(holder: Parameters<typeof own.read>[0]): JsonObject {
  return asObject(own.read(holder).spelling) ?? {};
}

/** The format's own fields, as they are rendered. */
export function readRest(holder: Parameters<typeof own.read>[0]): JsonObject {
  return otherMembers(own.read(holder), ['spelling']);
}

/**
 * Converts the names of an object's fields to lower camel case, and drops null fields. The JSON mapping of protocol
 * buffers accepts both spellings (protobuf.dev, "ProtoJSON Format"). Not recursive, because deeper fields can belong to
 * the client.
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
