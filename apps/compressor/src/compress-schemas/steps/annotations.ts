import type { JsonNode } from '@gateway/wire-formats';
import type { SchemaDraft, SchemaStep } from './schema-step.ts';
import { readMembers } from '../definition/tool-definition.ts';
import type { SchemaPosition } from '../definition/tool-definition.ts';

/**
 * Maximum number of additional characters in a text that counts as a repetition of a name. For example, the text may
 * add punctuation, filler words and spaces to the name.
 */
const addedMax = 16;
const fillers = new Set(['a', 'an', 'the']);

/**
 * Normalizes an identifier or phrase, so that for example `userId`, `user_id` and "The user ID." are equal. The
 * normalization keeps word order and word forms.
 */
function wordsOfName(text: string): string {
  const words = text
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}\p{S}]+/u)
    .filter((word) => word !== '');
  const telling = words.filter((word) => !fillers.has(word));
  // A property may have a filler word such as `a` as its name.
  return (telling.length > 0 ? telling : words).join(' ');
}

/** Whether the text only repeats a name. */
function repeatsName(text: string, name: string): boolean {
  if (text.length > 2 * name.length + addedMax) return false;
  const words = wordsOfName(text);
  return words !== '' && words === wordsOfName(name);
}

/** Drops `$comment`, which JSON Schema (2020-12, 8.3) reserves for schema maintainers. */
export const comment: SchemaStep = {
  name: '$comment',
  apply({ definition, walk, dropped }) {
    for (const { members } of walk.positions) {
      const entry = members.get('$comment');
      if (entry !== undefined && definition.tape.kind(entry.value) === 'string') dropped.add(entry.key);
    }
  },
};

/**
 * Drops descriptions without information. A description carries no information if it is empty or only repeats
 * the name of the property or tool. A description in the tool's schema also carries no information if it
 * repeats the tool's description.
 */
export const repeatedDescription: SchemaStep = {
  name: 'repeated_description',
  apply(draft) {
    const { definition } = draft;
    const { tape, body, name, schema } = definition;
    const own = readMembers(tape, body)?.get('description');
    const ownText = tape.stringValue(own?.value);
    if (own !== undefined && !definition.isSchemaOnly) dropIfEmptyOrNamed(draft, own.key, ownText, name);
    for (const { node, members, name: positionName } of draft.walk.positions) {
      const entry = members.get('description');
      if (entry === undefined) continue;
      const text = tape.stringValue(entry.value);
      dropIfEmptyOrNamed(draft, entry.key, text, positionName);
      if (node === schema && text !== undefined && text === ownText) draft.dropped.add(entry.key);
    }
  },
};

function dropIfEmptyOrNamed(
  { dropped }: SchemaDraft,
  key: JsonNode,
  text: string | undefined,
  name: string | undefined,
): void {
  if (text === undefined) return;
  const isNamed = name !== undefined && repeatsName(text, name);
  if (text.trim() === '' || isNamed) dropped.add(key);
}

/**
 * Drops `title` annotations without information. A `title` is dropped if it repeats the name of the property or
 * occurs next to a description. The title of the outermost schema is dropped because the tool has a name. The
 * step keeps a title that is the only text about a property.
 */
export const title: SchemaStep = {
  name: 'title',
  apply(draft) {
    for (const position of draft.walk.positions) {
      const entry = position.members.get('title');
      const text = draft.definition.tape.stringValue(entry?.value);
      if (entry !== undefined && text !== undefined && addsNothing(draft, position, text)) {
        draft.dropped.add(entry.key);
      }
    }
  },
};

function addsNothing(
  { definition, dropped }: SchemaDraft,
  { node, members, name }: SchemaPosition,
  text: string,
): boolean {
  if (node === definition.schema || text.trim() === '') return true;
  const description = members.get('description');
  const isDescribed =
    description !== undefined &&
    definition.tape.kind(description.value) === 'string' &&
    !dropped.has(description.key);
  return isDescribed || (name !== undefined && repeatsName(text, name));
}
