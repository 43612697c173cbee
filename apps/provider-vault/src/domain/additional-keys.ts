/** Each further key of a credential is a field of its own. */
const prefix = 'additionalKey';

/** The stored field of the further key at that position. */
export function additionalKeyField(at: number): string {
  return `${prefix}${at}`;
}

/** Stored fields, opened, as the credential that they are of. */
export function renderSecret(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const names = Object.keys(fields);
  const further = names.filter((name) => name.startsWith(prefix));
  const own = names.filter((name) => !name.startsWith(prefix)).map((name) => [name, fields[name]] as const);
  const additionalKeys = further.map((_, at) => fields[additionalKeyField(at)]);
  return { ...Object.fromEntries(own), ...(additionalKeys.length === 0 ? {} : { additionalKeys }) };
}
