import { invalidField, missingField } from '@gateway/errors';
import { z } from 'zod';
import type { AccessKey } from './sign-aws-request.ts';

/** A credential for Amazon Bedrock, which is either a Bedrock API key or an access key that signs each request. */
export type HostedCredential =
  | { readonly kind: 'bearer'; readonly key: string; readonly region: string }
  | { readonly kind: 'access-key'; readonly accessKey: AccessKey; readonly region: string };

/**
 * The fields of a Bedrock credential, in a request body or in a request that saves a connection. All fields
 * except the region are secrets.
 */
export interface HostedFields {
  readonly api_key?: string | undefined;
  readonly access_key_id?: string | undefined;
  readonly secret_access_key?: string | undefined;
  readonly session_token?: string | undefined;
  readonly region?: string | undefined;
}

const defaultRegion = 'us-east-1';
/** The region becomes part of a host name, so only characters that occur in region names are allowed. */
const regionName = /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/;
/** Characters allowed in a header value. */
const visible = /^[\x21-\x7e]{1,8192}$/;

/**
 * Validates the fields and builds the Bedrock credential.
 * @param nameOf maps a field to the name that the caller uses for the field
 * @throws GatewayError `missing_field` or `invalid_field`, with the field's name as `param`. Error texts
 * never contain credential values.
 */
export function createHostedCredential(
  fields: HostedFields,
  nameOf: (field: keyof HostedFields) => string = (field) => field,
): HostedCredential {
  const region = fields.region ?? defaultRegion;
  if (!regionName.test(region))
    throw invalidField(nameOf('region'), 'the name of a region, such as "us-east-1"');
  for (const name of ['api_key', 'access_key_id', 'secret_access_key', 'session_token'] as const) {
    const value = fields[name];
    if (value !== undefined && !visible.test(value))
      throw invalidField(nameOf(name), 'visible ASCII characters without spaces');
  }
  const {
    api_key: key,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    session_token: token,
  } = fields;
  if (key !== undefined) return { kind: 'bearer', key, region };
  if (accessKeyId === undefined) throw missingField(nameOf('access_key_id'));
  if (secretAccessKey === undefined) throw missingField(nameOf('secret_access_key'));
  const session = token === undefined ? {} : { sessionToken: token };
  return { kind: 'access-key', accessKey: { accessKeyId, secretAccessKey, ...session }, region };
}

/**
 * Renders the credential as one string for the vault. An API key for the default region is rendered
 * unchanged, without the region.
 */
export function renderHostedCredential(credential: HostedCredential): string {
  const { region } = credential;
  if (credential.kind === 'bearer') {
    return region === defaultRegion ? credential.key : JSON.stringify({ api_key: credential.key, region });
  }
  const { accessKeyId, secretAccessKey, sessionToken } = credential.accessKey;
  const session = sessionToken === undefined ? {} : { session_token: sessionToken };
  return JSON.stringify({
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    ...session,
    region,
  });
}

const storedFields = z.strictObject({
  api_key: z.string().optional(),
  access_key_id: z.string().optional(),
  secret_access_key: z.string().optional(),
  session_token: z.string().optional(),
  region: z.string().optional(),
});

/**
 * Parses the output of `renderHostedCredential`, or a plain API key.
 * @throws GatewayError for the same reasons as `createHostedCredential`
 */
export function parseHostedCredential(text: string): HostedCredential {
  if (!text.startsWith('{')) return createHostedCredential({ api_key: text });
  const parsed = storedFields.safeParse(parseJson(text));
  if (!parsed.success) throw invalidField('api_key', 'an API key, or the fields of an access key');
  return createHostedCredential(parsed.data);
}

/** Returns the base URL of Amazon Bedrock in a region. */
export function hostedBaseUrl(region: string): string {
  const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://bedrock-runtime.${region}.${domain}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
