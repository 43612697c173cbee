/** The values inside a credential: a bare key is one, none is none; the hosted service's is a JSON object of several. */
export function secretValues(credential: string): readonly string[] {
  if (credential === '') return [];
  if (!credential.startsWith('{')) return [credential];
  const fields = parseFields(credential);
  if (typeof fields !== 'object' || fields === null) return [credential];
  return Object.entries(fields).flatMap(([name, value]) =>
    !notSecret.has(name) && typeof value === 'string' ? [value] : [],
  );
}

/** Null for a bare key that begins like JSON (a placeholder left in). The parser's error would quote it. */
function parseFields(credential: string): unknown {
  try {
    return JSON.parse(credential);
  } catch {
    return null;
  }
}

/** No secrets, and too short or too common to take out of texts. */
const notSecret = new Set(['region', 'client_email', 'private_key_id']);
