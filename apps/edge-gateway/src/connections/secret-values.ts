/** The values inside a credential: a bare key is one, none is none; the hosted service's is a JSON object of several. */
export function secretValues(credential: string): readonly string[] {
  if (credential === '') return [];
  if (!credential.startsWith('{')) return [credential];
  const fields: unknown = JSON.parse(credential);
  if (typeof fields !== 'object' || fields === null) return [credential];
  // A region is no secret, and too short to take out of texts.
  return Object.entries(fields).flatMap(([name, value]) =>
    name !== 'region' && typeof value === 'string' ? [value] : [],
  );
}
