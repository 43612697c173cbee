import type { FileChange, ReadFile } from './file-change.ts';
import { insertBefore } from './file-change.ts';

const table = 'libs/providers/src/openai-compatible-table.ts';

export interface ProviderFacts {
  /** Lower-case letters and digits: what stands before the slash in `<provider>/<model>`. */
  readonly name: string;
  readonly displayName: string;
  /** Where `/chat/completions` is appended. */
  readonly baseUrl: string;
  /** The provider's own page that says so. */
  readonly docsUrl: string;
}

/** An OpenAI-compatible provider: a row of the table. @throws Error for a name that is taken, or an address that is none. */
export function renderProvider(facts: ProviderFacts, read: ReadFile): FileChange[] {
  if (!/^[a-z][a-z0-9]{1,31}$/.test(facts.name)) throw new Error(`"${facts.name}" is not a provider's name`);
  const text = read(table);
  if (text.includes(`name: '${facts.name}'`)) throw new Error(`${facts.name} is there already`);
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
