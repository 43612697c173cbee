import { readFileSync } from 'node:fs';
import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';
import { parseKeyRing, type LocalKeyRing } from './domain/local-key-ring.ts';

type AddIssue = (message: string) => void;

const keyRingText = z.string().transform((text, issues) =>
  parseOrReport(text, (message) => {
    issues.addIssue({ code: 'custom', message });
  }),
);
const keyRingFile = z.string().transform((file, issues) =>
  readOrReport(file, (message) => {
    issues.addIssue({ code: 'custom', message });
  }),
);
const unlessEmpty = (value: unknown) => (value === '' ? undefined : value);

const environment = z
  .object({
    ...serviceVariables,
    VAULT_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    /** The key-encryption key: 32 bytes in base64; or several, as `<version>:<base64>`, the highest being current. */
    VAULT_KEK: z.preprocess(unlessEmpty, keyRingText.optional()),
    /** A file that holds the same. */
    VAULT_KEK_FILE: z.preprocess(unlessEmpty, keyRingFile.optional()),
  })
  .refine(({ VAULT_KEK, VAULT_KEK_FILE }) => (VAULT_KEK === undefined) !== (VAULT_KEK_FILE === undefined), {
    path: ['VAULT_KEK'],
    message: 'set either VAULT_KEK or VAULT_KEK_FILE',
    // Together with the faults of the other variables, not after them.
    when: ({ value }) => typeof value === 'object',
  });
type Environment = z.output<typeof environment>;
export type Config = Environment & { readonly keyRing: LocalKeyRing };

/** Reads the environment once. Throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  const parsed = parseConfig(environment, variables);
  const keyRing = parsed.VAULT_KEK ?? parsed.VAULT_KEK_FILE;
  if (keyRing === undefined) throw new Error('The configuration has no key-encryption key.');
  return { ...parsed, keyRing };
}

function readOrReport(file: string, addIssue: AddIssue): LocalKeyRing {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    addIssue('cannot be read');
    return z.NEVER;
  }
  return parseOrReport(text, addIssue);
}

/** Nothing of the value goes into a message. */
function parseOrReport(text: string, addIssue: AddIssue): LocalKeyRing {
  try {
    return parseKeyRing(text);
  } catch (error) {
    addIssue(error instanceof RangeError ? error.message : 'is not valid');
    return z.NEVER;
  }
}
