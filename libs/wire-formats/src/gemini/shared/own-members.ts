import type { JsonObject } from '@gateway/interchange';
import { asObject, otherMembers } from '../../json/read-members.ts';
import { ownMembersOf } from '../../common/own-members.ts';

/**
 * Extension fields that only the Gemini format defines. The `spelling` field records how the client wrote
 * values that the interchange normalizes.
 */
export const own = ownMembersOf('gemini');

export function readSpelling(holder: Parameters<typeof own.read>[0]): JsonObject {
  return asObject(own.read(holder).spelling) ?? {};
}

/** Returns Gemini's extension fields to render, which are all extension fields except `spelling`. */
export function readRest(holder: Parameters<typeof own.read>[0]): JsonObject {
  return otherMembers(own.read(holder), ['spelling']);
}

/**
 * Converts an object's field names to lower camel case, and drops null fields. The JSON mapping for protocol
 * buffers accepts both spellings (protobuf.dev, "ProtoJSON Format"). Names of nested fields are
 * not converted, because the client may have chosen them.
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
    ? name.replaceAll(/(?<!_)_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}
