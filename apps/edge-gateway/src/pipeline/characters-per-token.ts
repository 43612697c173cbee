/** Characters of English text per token, by OpenAI's rule of thumb; for estimates where nobody counted. */
export const charactersPerToken = 4;
