import type { SchemaStep } from '../schema-step.ts';

/** Drops `$comment`: "for the schema's maintainers", never for its readers (JSON Schema 2020-12, 8.3). */
export const comment: SchemaStep = {
  name: '$comment',
  apply({ definition, walk, dropped }) {
    for (const { members } of walk.positions) {
      const entry = members.get('$comment');
      if (entry !== undefined && definition.tape.kind(entry.value) === 'string') dropped.add(entry.key);
    }
  },
};
