import type { JsonTape } from '@gateway/wire-formats';
import type { SchemaPosition } from '../definition/tool-definition.ts';
import type { SchemaStep } from './schema-step.ts';

/**
 * Matches JSON Schema dialects in which all keywords except `dialectKeywords` have the same meaning. For a schema
 * without `$schema`, a provider may use any of the matched dialects.
 */
const knownDialect = /^https?:\/\/json-schema\.org\/(?:draft-0[67]|draft\/2019-09|draft\/2020-12)\/schema#?$/;

/**
 * JSON Schema keywords that are missing or have a different meaning in one of the drafts 06 to 2020-12. A schema
 * with one of these keywords keeps its `$schema`, because a different draft could change which arguments are valid.
 */
const dialectKeywords = new Set(
  (
    '$id id $anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary additionalItems prefixItems ' +
    'minContains maxContains dependencies dependentRequired dependentSchemas if then else unevaluatedItems ' +
    'unevaluatedProperties contentEncoding contentMediaType contentSchema extends disallow divisibleBy'
  ).split(' '),
);
/**
 * Keywords that may stand next to `$ref` without a change of meaning. Up to JSON Schema draft 07, `$ref`
 * disables all sibling keywords.
 */
const besideReference = new Set([
  '$ref',
  'title',
  'description',
  '$comment',
  'default',
  'examples',
  '$schema',
]);
/** Matches references to `$defs` and `definitions`. The compression visits all subschemas in these two keywords. */
const walkedReference = /^#\/(?:\$defs|definitions)\/[^/%~]+$/;

/** Drops the outermost `$schema` if every keyword has the same meaning in all drafts from 06 on. */
export const dialect: SchemaStep = {
  name: '$schema',
  apply({ definition: { tape, schema }, walk: { positions, isComplete }, dropped }) {
    const outermost = positions.find(({ node }) => node === schema);
    const entry = outermost?.members.get('$schema');
    const uri = tape.stringValue(entry?.value);
    if (entry === undefined || uri === undefined || !knownDialect.test(uri)) return;
    if (isComplete && positions.every((position) => meansTheSame(tape, position, position === outermost))) {
      dropped.add(entry.key);
    }
  },
};

function meansTheSame(tape: JsonTape, { members }: SchemaPosition, isOutermost: boolean): boolean {
  const reference = members.get('$ref');
  if (reference !== undefined) {
    const target = tape.stringValue(reference.value);
    const leadsOut = target !== '#' && !walkedReference.test(target ?? '');
    if (leadsOut || [...members.keys()].some((keyword) => !besideReference.has(keyword))) return false;
  }
  for (const [keyword, { value }] of members) {
    if (dialectKeywords.has(keyword) || (keyword === '$schema' && !isOutermost)) return false;
    if (keyword === 'items' && tape.kind(value) === 'array') return false;
  }
  return true;
}
