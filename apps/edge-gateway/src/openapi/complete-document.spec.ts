import { Ajv2020 } from 'ajv/dist/2020.js';
import fieldTexts from '../../data/field-texts.json' with { type: 'json' };
import { controllers } from '../edge-gateway.module.ts';
import { renderDocument } from './render-document.ts';
import { listRoutes } from './route-table.ts';

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}
interface Body {
  readonly content?: Readonly<Record<string, { schema?: Schema; example?: unknown }>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

const document = renderDocument(listRoutes(controllers));
const operations = Object.values(document.paths ?? {}).flatMap(
  (path) => Object.values(path as object) as Operation[],
);
const bodiesOf = ({ operationId, requestBody, responses }: Operation) =>
  [
    requestBody,
    ...Object.entries(responses).map(([status, body]) => (status.startsWith('2') ? body : {})),
  ].flatMap((body) =>
    Object.entries(body?.content ?? {}).map(([mediaType, content]) => ({
      operationId,
      mediaType,
      ...content,
    })),
  );
const bodies = operations.flatMap(bodiesOf);

/** Lists the fields below a schema that have no description. */
function undescribed(schema: Schema, place: string): string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    ...(field.description || field.$ref !== undefined ? [] : [`${place}.${name}`]),
    ...undescribed(field, `${place}.${name}`),
  ]);
  const { anyOf = [], oneOf = [], allOf = [], items, additionalProperties: others } = schema;
  const inner = [
    ...anyOf,
    ...oneOf,
    ...allOf,
    ...(items ? [items] : []),
    ...(typeof others === 'object' ? [others] : []),
  ];
  return [...own, ...inner.flatMap((each) => undescribed(each, place))];
}

test('every field and parameter of the OpenAPI document has a description', () => {
  const components = Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>);
  const fields = [
    ...components.flatMap(([name, schema]) => undescribed(schema, name)),
    ...bodies.flatMap(({ schema, operationId }) => undescribed(schema ?? {}, operationId)),
    ...operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.filter(({ description }) => !description).map(({ name }) => `${operationId}?${name}`),
    ),
  ];
  expect(fields).toEqual([]);
});

test('every body of a request and of a successful response has an example', () => {
  expect(bodies.length).toBeGreaterThan(100);
  const without = bodies.filter(({ schema, example }) => schema !== undefined && example === undefined);
  expect(without.map(({ operationId, mediaType }) => `${operationId} ${mediaType}`)).toEqual([]);
});

test('every JSON example is valid for its schema', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', components: document.components as object });
  const located = (schema: Schema): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components')) as object;
  const invalid = bodies
    .filter(({ mediaType, schema }) => mediaType.endsWith('json') && schema !== undefined)
    .flatMap(({ operationId, schema, example }) => {
      const validate = ajv.compile(located(schema!));
      return validate(example) ? [] : [`${operationId}: ${ajv.errorsText(validate.errors)}`];
    });
  expect(invalid).toEqual([]);
});

test('every shared text is a sentence', () => {
  for (const [name, { description }] of Object.entries(fieldTexts))
    expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)]);
});
