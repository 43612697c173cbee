import type { ApiKey, CreateKeyBody, UpdateKeyBody } from '../../api/keys.ts';

/** The form fields of an API key. If a limit is empty, the account's limit applies. */
export interface KeyFields {
  readonly name: string;
  readonly rate_limit_rpm: number | '';
  readonly daily_token_budget: number | '';
  readonly weekly_token_budget: number | '';
  readonly k_target_override: number | '';
  /**
   * The content of a browser date field in the reader's time zone, such as `2026-11-20T10:00`. An empty
   * expiry field means that the API key never expires.
   */
  readonly expires: string;
  readonly scopes: ApiKey['scopes'];
}

export const emptyFields: KeyFields = {
  name: '',
  rate_limit_rpm: '',
  daily_token_budget: '',
  weekly_token_budget: '',
  k_target_override: '',
  expires: '',
  // The scope `inference` is the default for a new API key.
  // With the default scope, a leaked API key of an agent cannot read or change the account.
  scopes: ['inference'],
};

const orNull = (value: number | '') => (value === '' ? null : value);
const orNothing = (value: number | '') => (value === '' ? undefined : value);

/** The request body that creates an API key. If a field is empty, the API key inherits the account's value. */
export function renderCreation(fields: KeyFields): CreateKeyBody {
  return {
    name: fields.name,
    rate_limit_rpm: orNothing(fields.rate_limit_rpm),
    daily_token_budget: orNothing(fields.daily_token_budget),
    weekly_token_budget: orNothing(fields.weekly_token_budget),
    k_target_override: orNothing(fields.k_target_override),
    expires_at: renderExpiry(fields.expires) ?? undefined,
    scopes: fields.scopes,
  };
}

/**
 * The request body that updates an API key. An unchanged expiry is not sent, because the gateway would reject an
 * expiry in the past. The body always contains the scopes, because a new limit without scopes would remove the scope
 * `manage` from the key.
 */
export function renderUpdate(fields: KeyFields, before: KeyFields): UpdateKeyBody {
  return {
    ...(fields.name === before.name ? {} : { name: fields.name }),
    rate_limit_rpm: orNull(fields.rate_limit_rpm),
    daily_token_budget: orNull(fields.daily_token_budget),
    weekly_token_budget: orNull(fields.weekly_token_budget),
    k_target_override: orNull(fields.k_target_override),
    scopes: fields.scopes,
    ...(fields.expires === before.expires ? {} : { expires_at: renderExpiry(fields.expires) }),
  };
}

/** The RFC 3339 time of a local date and time. Null if the API key has no expiry. */
function renderExpiry(expires: string): string | null {
  return expires === '' ? null : new Date(expires).toISOString();
}

interface Limited {
  readonly name: string;
  readonly rate_limit_rpm: number;
  readonly daily_token_budget: number;
  readonly weekly_token_budget: number;
  readonly k_target_override: number | null;
  readonly expires_at: string | null;
  readonly scopes: ApiKey['scopes'];
  readonly inherited: readonly string[];
}

export function parseFields(apiKey: Limited): KeyFields {
  const own = (field: 'rate_limit_rpm' | 'daily_token_budget' | 'weekly_token_budget') =>
    apiKey.inherited.includes(field) ? '' : apiKey[field];
  return {
    name: apiKey.name,
    rate_limit_rpm: own('rate_limit_rpm'),
    daily_token_budget: own('daily_token_budget'),
    weekly_token_budget: own('weekly_token_budget'),
    k_target_override: apiKey.k_target_override ?? '',
    scopes: apiKey.scopes,
    expires: apiKey.expires_at === null ? '' : renderLocal(new Date(apiKey.expires_at)),
  };
}

/** The format of `<input type="datetime-local">`. */
function renderLocal(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/**
 * Parses tool names, one per line, without duplicates. Returns null for an empty text, because null clears the tool
 * list.
 */
export function parseToolNames(text: string): string[] | null {
  const names = text.split('\n').flatMap((line) => line.trim() || []);
  return names.length === 0 ? null : [...new Set(names)];
}

/** Renders a list of tool names with one name per line. */
export function renderToolNames(names: readonly string[] | null): string {
  return (names ?? []).join('\n');
}

/**
 * The tool list that results from the edited text. If the text is unchanged, the existing tool list is kept.
 * An empty list allows no tools, but null allows all tools.
 */
export function changeToolNames(before: string[] | null, text: string): string[] | null {
  return text === renderToolNames(before) ? before : parseToolNames(text);
}
