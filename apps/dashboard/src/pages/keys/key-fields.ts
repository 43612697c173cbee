import type { CreateKeyBody, UpdateKeyBody } from '../../api/keys.ts';

/** What the form of a key holds. An empty limit is inherited. */
export interface KeyFields {
  readonly name: string;
  readonly rate_limit_rpm: number | '';
  readonly daily_token_budget: number | '';
  readonly weekly_token_budget: number | '';
  readonly k_target_override: number | '';
  /** As the browser's own field has it, in the reader's zone: `2026-11-20T10:00`; empty for never. */
  readonly expires: string;
}

export const emptyFields: KeyFields = {
  name: '',
  rate_limit_rpm: '',
  daily_token_budget: '',
  weekly_token_budget: '',
  k_target_override: '',
  expires: '',
};

const orNull = (value: number | '') => (value === '' ? null : value);
const orNothing = (value: number | '') => (value === '' ? undefined : value);

/** Sends what was filled in; the rest is the account's policy. */
export function renderCreation(fields: KeyFields): CreateKeyBody {
  return {
    name: fields.name,
    rate_limit_rpm: orNothing(fields.rate_limit_rpm),
    daily_token_budget: orNothing(fields.daily_token_budget),
    weekly_token_budget: orNothing(fields.weekly_token_budget),
    k_target_override: orNothing(fields.k_target_override),
    expires_at: renderExpiry(fields.expires) ?? undefined,
  };
}

/** Sends what differs: an expiry that has passed must not be sent again. */
export function renderUpdate(fields: KeyFields, before: KeyFields): UpdateKeyBody {
  return {
    ...(fields.name === before.name ? {} : { name: fields.name }),
    rate_limit_rpm: orNull(fields.rate_limit_rpm),
    daily_token_budget: orNull(fields.daily_token_budget),
    weekly_token_budget: orNull(fields.weekly_token_budget),
    k_target_override: orNull(fields.k_target_override),
    ...(fields.expires === before.expires ? {} : { expires_at: renderExpiry(fields.expires) }),
  };
}

/** RFC 3339 of a local date and time; null for none. */
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
    expires: apiKey.expires_at === null ? '' : renderLocal(new Date(apiKey.expires_at)),
  };
}

/** What `<input type="datetime-local">` takes. */
function renderLocal(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Names of tools, one a line: each once, in their order. Null, which clears a list, for none. */
export function parseToolNames(text: string): string[] | null {
  const names = text.split('\n').flatMap((line) => line.trim() || []);
  return names.length === 0 ? null : [...new Set(names)];
}

/** A list as it is typed in: one name a line. */
export function renderToolNames(names: readonly string[] | null): string {
  return (names ?? []).join('\n');
}

/** The list that a text means. One that was left alone stays as it is: an empty one allows nothing, where none allows all. */
export function changeToolNames(before: string[] | null, text: string): string[] | null {
  return text === renderToolNames(before) ? before : parseToolNames(text);
}
