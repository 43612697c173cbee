import { GatewayError } from '@gateway/errors';
import type { JsonNode, JsonTape } from '@gateway/wire-formats';
import type { ToolPermission } from './tool-permission.ts';

/** The request body, and the tool permissions that apply to the body. */
export interface Restriction {
  readonly tape: JsonTape;
  readonly permission: ToolPermission;
}

/** Builds the error for a request from which two JSON parsers could read different tools. */
export function ambiguousTools(param: string, problem: string): GatewayError {
  const message = `${param === '' ? 'The body' : param} ${problem} This API key has tool lists, so the gateway must know each tool.`;
  return new GatewayError('ambiguous_tools', { param, message });
}

/** Maximum number of tools in one tool list and in one tool choice, because a plan ranks every tool. */
export const toolsMax = 4096;

/** Maximum length of a client-supplied name in an error text. Names above this length are truncated. */
const quotedCharactersMax = 100;

export function quote(name: string): string {
  return JSON.stringify(name.toWellFormed().slice(0, quotedCharactersMax));
}

/**
 * Normalizes the key of a JSON object. Lenient parsers treat keys with the same result as equal. Go ignores
 * letter case and applies Unicode's simple folding (`ſ` is `s`, `K` is `k`). Newer versions of Go also ignore `_`
 * and `-` in field names. Protobuf accepts `toolConfig` and `tool_config`. Strings in C end at a NUL character.
 */
export function foldKey(key: string): string {
  if (foldedKey.test(key)) return key;
  const end = key.indexOf('\0');
  const text = end === -1 ? key : key.slice(0, end);
  return text
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Matches a normalized key. Most keys are already normalized. */
const foldedKey = /^[a-z0-9]*$/;

/** Maps normalized keys to the exact names of the fields that the tool rules cover. */
export type GovernedMembers = ReadonlyMap<string, string>;

export function governMembers(names: readonly string[]): GovernedMembers {
  return new Map(names.map((name) => [foldKey(name), name]));
}

/**
 * Finds the object's fields to which the tool rules apply. Fields with the value null are skipped.
 * @throws GatewayError `ambiguous_tools` for a repeated field, or for a spelling that only some servers accept
 */
export function findMembers(
  tape: JsonTape,
  object: JsonNode,
  governed: GovernedMembers,
  path: string,
): ReadonlyMap<string, JsonNode> {
  const found = new Map<string, JsonNode>();
  for (const { key, value } of tape.entries(object)) {
    const spelled = tape.stringValue(key) ?? '';
    const name = governed.get(foldKey(spelled));
    if (name === undefined) continue;
    if (name !== spelled)
      throw ambiguousTools(
        join(path, spelled),
        `is read as ${quote(name)} by some servers. Write ${quote(name)}, or remove the field.`,
      );
    if (found.has(name)) throw ambiguousTools(join(path, name), 'occurs twice. Send it once.');
    found.set(name, value);
  }
  for (const [name, node] of found) if (tape.kind(node) === 'null') found.delete(name);
  return found;
}

/** Maximum length of a field path in an error. Longer paths would make checks of deeply nested bodies slow. */
const pathCharactersMax = 256;

/** Returns the path of a field for use in errors. Long field paths are truncated. */
export function join(path: string, member: string | number): string {
  if (path.length > pathCharactersMax) return path;
  if (typeof member === 'number') return `${path}[${member}]`;
  const name = member.slice(0, quotedCharactersMax);
  return path === '' ? name : `${path}.${name}`;
}
