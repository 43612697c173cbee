/** The longest name in use has about a hundred; it goes into headers and the log. */
export const modelCharactersMax = 512;
