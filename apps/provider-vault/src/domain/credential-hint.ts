import { z } from 'zod';

/** Shorter credentials show nothing: four characters of them would be too much. */
const charactersMin = 12;

/** The names that a credential of several values has for the one it is known by, the first that is there. */
const names = ['api_key', 'access_key_id', 'private_key_id'] as const;
const severalValues = z.record(z.string(), z.unknown());

/** The last four characters of a credential that is long enough, or null. Of several values, those of the one that names it. */
export function chooseHint(credential: string): string | null {
  const characters = Array.from(chooseShown(credential));
  return characters.length < charactersMin ? null : characters.slice(-4).join('');
}

function chooseShown(credential: string): string {
  if (!credential.startsWith('{')) return credential;
  try {
    const values = severalValues.parse(JSON.parse(credential));
    const shown = names.map((name) => values[name]).find((value) => typeof value === 'string');
    return typeof shown === 'string' ? shown : '';
  } catch {
    return credential;
  }
}
