import { repeatsName } from '../repeats-name.ts';
import type { SchemaDraft, SchemaStep } from '../schema-step.ts';
import type { SchemaPosition } from '../schema-walk.ts';

/**
 * Drops `title` where it is an annotation that adds nothing: on the whole schema (the tool has a name), where it repeats
 * the name of the property, and where a description stands beside it. A title that is the only text stays.
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
