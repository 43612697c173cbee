import { markup, renderText, type Markup } from './markup.ts';

/** The parts of a JSON Schema that the reference page shows. */
export interface ShownSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly items?: ShownSchema;
  readonly anyOf?: readonly ShownSchema[];
  readonly oneOf?: readonly ShownSchema[];
  readonly allOf?: readonly ShownSchema[];
  readonly properties?: Readonly<Record<string, ShownSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | ShownSchema;
  readonly description?: string;
}

/** Renders a value's type in one line, for example `array of Model`, `string (uuid)`, `"list"`. */
export function renderType(schema: ShownSchema): Markup {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return markup`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return markup`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return joinTypes(schema.enum.map((value) => markup`<code>${JSON.stringify(value)}</code>`));
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return joinTypes(choices.map(renderType));
  if (schema.type === 'array') return markup`array of ${renderType(schema.items ?? {})}`;
  const type = [schema.type ?? 'anything'].flat().join(' or ');
  return markup`${type}${schema.format === undefined ? '' : ` (${schema.format})`}${renderBounds(schema)}`;
}

function joinTypes(types: readonly Markup[]): Markup {
  return markup`${types.map((type, at) => (at === 0 ? type : markup` or ${type}`))}`;
}

function renderBounds({ minimum, maximum, minLength, maxLength }: ShownSchema): string {
  const low = minimum ?? minLength;
  const high = maximum ?? maxLength;
  const unit = minLength !== undefined || maxLength !== undefined ? ' characters' : '';
  const isSafeBound = high === Number.MAX_SAFE_INTEGER;
  if (high !== undefined && !isSafeBound)
    return `, ${low ?? 'at most'}${low === undefined ? ' ' : '–'}${high}${unit}`;
  return low === undefined || low === Number.MIN_SAFE_INTEGER ? '' : `, from ${low}${unit}`;
}

/**
 * Renders one table row per field, followed by the fields of nested objects. Returns an empty table for a schema
 * without fields.
 */
export function renderFields(schema: ShownSchema): Markup {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return markup``;
  const rows = fields.map(
    ([name, field]) =>
      markup`<tr>
        <th scope="row">
          <code>${name}</code>${schema.required?.includes(name) === true ? '' : markup` <i>optional</i>`}
        </th>
        <td>
          ${renderType(field)}${field.default === undefined ? '' : markup`, <code>${JSON.stringify(field.default)}</code> by default`}${renderText(field.description)}${renderFields(inner(field))}
        </td>
      </tr>`,
  );
  return markup`<table>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

/** Returns the object schema that an array schema or an optional schema contains. */
function inner(schema: ShownSchema): ShownSchema {
  if (schema.properties) return schema;
  if (schema.items) return inner(schema.items);
  return (schema.anyOf ?? schema.oneOf ?? []).find(({ properties }) => properties !== undefined) ?? {};
}
