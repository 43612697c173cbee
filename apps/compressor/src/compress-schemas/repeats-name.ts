/** Letters that punctuation, fillers and split words may add to a name that a text repeats. */
const addedMax = 16;
const fillers = new Set(['a', 'an', 'the']);

/**
 * The words of an identifier or a phrase as one string, so that `userId`, `user_id` and "The user ID." are the same.
 * Words stay in their order and in their form.
 */
function wordsOfName(text: string): string {
  const words = text
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}\p{S}]+/u)
    .filter((word) => word !== '');
  const telling = words.filter((word) => !fillers.has(word));
  // A property may be called `a`.
  return (telling.length > 0 ? telling : words).join(' ');
}

/** Whether a text says nothing but a name. */
export function repeatsName(text: string, name: string): boolean {
  if (text.length > 2 * name.length + addedMax) return false;
  const words = wordsOfName(text);
  return words !== '' && words === wordsOfName(name);
}
