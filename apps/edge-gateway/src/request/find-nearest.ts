import { providerNames } from '@gateway/providers';

/** Maximum length of a name for which the gateway suggests similar names. Searches for longer names are slow. */
const nameCharsMax = 100;
/** Maximum edit distance (Levenshtein), in inserted, deleted or replaced characters. */
const distanceMax = 2;

/**
 * Returns the known name that is most similar to a mistyped name, or undefined if no known name is similar
 * enough. The comparison ignores case.
 */
export function findNearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > nameCharsMax) return undefined;
  const wanted = name.toLowerCase();
  let nearest: string | undefined;
  let limit = Math.min(distanceMax, Math.floor(name.length / 2));
  for (const each of known) {
    const distance = distanceWithin(wanted, each.toLowerCase(), limit);
    if (distance === undefined || (nearest !== undefined && distance >= limit)) continue;
    nearest = each;
    limit = distance;
  }
  return nearest;
}

/**
 * Returns the Levenshtein distance between two texts, or undefined if the distance exceeds `limit`. The function
 * compares only nearby characters, so its running time is proportional to the text length times `limit`.
 */
function distanceWithin(left: string, right: string, limit: number): number | undefined {
  if (Math.abs(left.length - right.length) > limit) return undefined;
  const far = limit + 1;
  let row = Array.from({ length: right.length + 1 }, (_, at) => Math.min(at, far));
  for (let i = 1; i <= left.length; i += 1) {
    const next = new Array<number>(right.length + 1).fill(far);
    next[0] = Math.min(i, far);
    for (let j = Math.max(1, i - limit); j <= Math.min(right.length, i + limit); j += 1) {
      const replaced = (row[j - 1] ?? far) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next[j] = Math.min(replaced, (row[j] ?? far) + 1, (next[j - 1] ?? far) + 1);
    }
    row = next;
  }
  const distance = row[right.length] ?? far;
  return distance > limit ? undefined : distance;
}

/** Returns the error text for an unknown provider. It suggests the most similar known name. */
export function explainUnknownProvider(name: string): string {
  const nearest = findNearest(name, providerNames);
  const suggestion = nearest === undefined ? '' : `Did you mean "${nearest}"? `;
  return `The provider "${name}" is unknown. ${suggestion}GET /v1/account/providers lists the providers.`;
}
