/** Shorter credentials show nothing: four characters of them would be too much. */
const charactersMin = 12;

/** The last four characters of a credential that is long enough, or null. */
export function chooseHint(credential: string): string | null {
  const characters = Array.from(credential);
  return characters.length < charactersMin ? null : characters.slice(-4).join('');
}
