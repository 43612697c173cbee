import type { FileChange, ReadFile } from './file-change.ts';
import { insertBefore } from './file-change.ts';

const table = 'libs/providers/src/openai-compatible-table.ts';

export interface ProviderFacts {
  /**
   * The provider's name in lowercase letters and digits. The provider's name is the part before the slash in
   * `<provider>/<model>`.
   */
  readonly name: string;
  readonly displayName: string;
  /** The base URL of the provider. The gateway appends `/chat/completions` to the base URL. */
  readonly baseUrl: string;
  /** The URL of the documentation page on which the provider gives the base URL. */
  readonly docsUrl: string;
}

/**
 * Renders a row of the table of OpenAI-compatible providers.
 * @throws Error if the name is already used or the address is invalid
 */
export function renderProvider(facts: ProviderFacts, read: ReadFile): FileChange[] {
  if (!/^[a-z][a-z0-9]{1,31}$/.test(facts.name))
    throw new Error(`"${facts.name}" is not a valid provider name`);
  const text = read(table);
  if (text.includes(`name: '${facts.name}'`)) throw new Error(`${facts.name} exists already`);
  const row = `  openAiCompatible({
    name: '${facts.name}',
    displayName: ${quote(facts.displayName)},
    baseUrl: ${quote(new URL(facts.baseUrl).href.replace(/\/$/, ''))},
    docsUrl: ${quote(new URL(facts.docsUrl).href)},
  }),
`;
  return [{ path: table, content: insertBefore(text, '];\n', row), isNew: false }];
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
