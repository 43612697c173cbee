import type { JsonNode } from '@gateway/wire-formats';
import { repeatsName } from '../repeats-name.ts';
import type { SchemaDraft, SchemaStep } from '../schema-step.ts';
import { readMembers } from '../tool-definition.ts';

/**
 * Drops descriptions that say nothing: empty ones, those that only repeat the name of the property or tool, and one of
 * the whole schema that is the tool's own again.
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
