import {
  account,
  accountDeletion,
  accountPolicy,
  apiKey,
  converseErrorBody,
  createdApiKey,
  errorBody,
  messagesErrorBody,
  type KeyScope,
  providerConnection,
  requestDetail,
  requestLogEntry,
  routingModel,
  routingModelStatus,
  routingPreferences,
  session,
} from '@gateway/contracts';
import type { ErrorCode } from '@gateway/errors';
import { errorRegistry } from '@gateway/errors';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { createDocument } from 'zod-openapi';
import { formatOfPath } from '../request/http-response.ts';
import { createJsonFile, type StaticFile } from '../static-files/static-files.ts';
import { completeDocument } from './complete-document.ts';
import type { Operation, OperationAnswer } from './operation.ts';
import { operationTags, tagTexts } from './operation.ts';
import type { RouteRow } from './route-table.ts';
import {
  describeScope,
  isLimited,
  listErrors,
  rateLimitHeaders,
  renderSecurity,
  securitySchemes,
} from './access-rules.ts';
import { scopeOf } from './operation-scopes.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;
type Responses = ZodOpenApiOperationObject['responses'];

/** The OpenAPI document as a JSON file of 1 MB. The document is rendered when it is first requested. */
export class Reference {
  readonly #routes: () => readonly RouteRow[];
  #file: StaticFile | undefined;

  constructor(routes: () => readonly RouteRow[]) {
    this.#routes = routes;
  }

  file(): StaticFile {
    this.#file ??= createJsonFile(renderDocument(this.#routes()));
    return this.#file;
  }
}

const description = `An agent gateway: chat in the format that your agent already uses, with fewer tools and less context sent to the provider.

Every response has an \`X-Request-ID\` header. Lists are \`{"object":"list","data":[…]}\`. Times are RFC 3339 in UTC. Account endpoints reject unknown fields; chat endpoints forward them to the provider.

The [documentation](/docs/index) contains guides for users and operators. This reference is also available as [OpenAPI 3.1](/openapi.json).`;

/**
 * Renders the OpenAPI 3.1 document for the routes, including the aliases of their paths. The document omits
 * routes that have no description.
 */
export function renderDocument(routes: readonly RouteRow[]): OpenApiDocument {
  const paths: ZodOpenApiPathsObject = {};
  for (const route of routes) {
    for (const path of route.paths) {
      const operation = renderOperation(route, path);
      if (operation) paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation };
    }
  }
  const document = createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Agent gateway',
        version: '1',
        description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: operationTags.map((name) => ({ name, description: tagTexts[name] })),
      components: { securitySchemes, schemas: namedSchemas },
      paths,
    },
    {
      // If a JSON Schema has a format, its long regular expression is removed.
      override: ({ jsonSchema }) => {
        if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      },
    },
  );
  completeDocument(document);
  return document;
}

function renderOperation(route: RouteRow, path: string): ZodOpenApiOperationObject | undefined {
  const { operation, access } = route;
  if (!operation || access === undefined) return undefined;
  const { params, query, headers, body } = operation;
  const [primary] = route.paths;
  const isAlias = path !== primary;
  return {
    operationId: isAlias ? `${operation.id}Alias${route.paths.indexOf(path)}` : operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [
      isAlias ? `The same as \`${route.method} ${primary}\`.` : '',
      operation.description ?? '',
      describeScope(operation, access),
    ]
      .filter(Boolean)
      .join(' '),
    ...renderScope(operation),
    security: renderSecurity(access, operation),
    requestParams: {
      ...(params ? { path: params } : {}),
      ...(query ? { query } : {}),
      ...(headers ? { header: headers } : {}),
    },
    ...(body
      ? {
          requestBody: {
            required: body.optional !== true,
            content: { [body.contentType ?? 'application/json']: { schema: body.schema } },
          },
        }
      : {}),
    responses: {
      [`${operation.answer.status}`]: renderAnswer(operation.answer, isLimited(access)),
      ...renderErrors(route, path),
      ...renderOtherErrors(path),
    } as Responses,
  };
}

/** Renders errors that any route can return, for example because the request's headers are too long. */
function renderOtherErrors(path: string): Record<string, unknown> {
  const content = { 'application/json': { schema: errorBodies[formatOfPath(path)] } };
  const refused = 'Another error of the request, for example 431 for headers over 16 KiB.';
  return { '4XX': { description: refused, content }, default: { description: 'Another error.', content } };
}

/** Renders the scope that an operation needs, in a form that tools can read. */
function renderScope({ id }: Operation): { 'x-required-scope'?: KeyScope } {
  const scope = scopeOf(id);
  return scope === undefined ? {} : { 'x-required-scope': scope };
}

const requestId = {
  'X-Request-ID': {
    description: 'Identifies the request for the operators of the gateway.',
    schema: { type: 'string' as const },
  },
};

function renderHeaders(headers: Readonly<Record<string, string>> = {}) {
  const named = Object.entries(headers).map(([name, text]) => [
    name,
    { description: text, schema: { type: 'string' as const } },
  ]);
  return {
    ...requestId,
    ...(Object.fromEntries(named) as Record<string, (typeof requestId)['X-Request-ID']>),
  };
}

function renderAnswer(
  { schema, contentType, description, headers, streams }: OperationAnswer,
  limited: boolean,
) {
  return {
    description,
    headers: renderHeaders(limited ? { ...rateLimitHeaders, ...headers } : headers),
    ...(schema
      ? {
          content: {
            [contentType ?? 'application/json']: { schema },
            ...(streams
              ? {
                  [streams.contentType]: {
                    schema: { type: 'string' as const, description: streams.description },
                  },
                }
              : {}),
          },
        }
      : {}),
  };
}

const errorBodies = {
  'chat-completions': errorBody,
  responses: errorBody,
  messages: messagesErrorBody,
  converse: converseErrorBody,
} as const;

/** Renders one response per status code. The response's description lists the possible error codes. */
function renderErrors(route: RouteRow, path: string): Record<string, unknown> {
  const byStatus = Map.groupBy(listErrors(route), (code) => errorRegistry[code].status);
  const schema = errorBodies[formatOfPath(path)];
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, codes]) => [
        `${status}`,
        {
          description: codes.map((code) => `\`${code}\`: ${errorRegistry[code].message}`).join('\n\n'),
          headers: renderHeaders(headersOf(codes, path)),
          content: { 'application/json': { schema } },
        },
      ]),
  );
}

function headersOf(codes: readonly ErrorCode[], path: string): Record<string, string> {
  const isConverse = formatOfPath(path) === 'converse';
  const waits = codes.some((code) => ['rate_limit_exceeded', 'service_unavailable'].includes(code));
  return {
    'x-should-retry': 'Whether the same call may succeed later without changes.',
    ...(waits
      ? {
          'retry-after': 'Seconds to wait before the next call.',
          'retry-after-ms': 'The same in milliseconds.',
        }
      : {}),
    ...(isConverse ? { 'x-amzn-errortype': 'The kind of error, for example `ValidationException`.' } : {}),
  };
}

/** Response schemas that several operations share, as named components. Other schemas are inlined. */
const namedSchemas = {
  Account: account,
  AccountDeletion: accountDeletion,
  AccountPolicy: accountPolicy,
  ApiKey: apiKey,
  CreatedApiKey: createdApiKey,
  Provider: providerConnection,
  RequestDetail: requestDetail,
  RequestLogEntry: requestLogEntry,
  RoutingModel: routingModel,
  RoutingModelStatus: routingModelStatus,
  RoutingPreferences: routingPreferences,
  Session: session,
} as const;
