import { readFileSync } from 'node:fs';
import { parseConfig, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';
import { parseKmsKeys, parseLocalKeys } from './encryption/parse-keys.ts';

type AddIssue = (message: string) => void;

const unlessEmpty = (value: unknown) => (value === '' ? undefined : value);
/** A text that `parse` reads; what it throws is said without the value. */
const parsedBy = <Value>(parse: (text: string) => Value) =>
  z.preprocess(
    unlessEmpty,
    z
      .string()
      .transform((text, issues) =>
        parseOrReport(text, parse, (message) => issues.addIssue({ code: 'custom', message })),
      )
      .optional(),
  );

/** What is wrong with the keys taken together is told beside the faults of single variables, not after them. */
const besideOthers = (variable: string) => ({
  path: [variable],
  when: ({ value }: { value: unknown }) => typeof value === 'object',
});

const environment = z
  .object({
    ...serviceVariables,
    VAULT_DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }),
    /** The key-encryption key: 32 bytes in base64; or several, as `<version>:<base64>`. */
    VAULT_KEK: parsedBy(parseLocalKeys),
    /** A file that holds the same. */
    VAULT_KEK_FILE: parsedBy((file) => parseLocalKeys(readKeyFile(file))),
    /** Keys that AWS KMS keeps, as `<version>:<ARN>`: instead of the above, or beside them with other versions. */
    VAULT_KMS_KEYS: parsedBy(parseKmsKeys),
    /** Replaces the address of KMS: a VPC endpoint. */
    VAULT_KMS_ENDPOINT: z.preprocess(unlessEmpty, z.url({ protocol: /^https?$/ }).optional()),
  })
  .refine(({ VAULT_KEK, VAULT_KEK_FILE }) => !VAULT_KEK || !VAULT_KEK_FILE, {
    ...besideOthers('VAULT_KEK'),
    message: 'set either VAULT_KEK or VAULT_KEK_FILE',
  })
  .refine((value) => value.VAULT_KEK ?? value.VAULT_KEK_FILE ?? value.VAULT_KMS_KEYS, {
    ...besideOthers('VAULT_KEK'),
    message: 'set either VAULT_KEK or VAULT_KEK_FILE, or VAULT_KMS_KEYS',
  })
  .refine((value) => !value.VAULT_KMS_ENDPOINT || value.VAULT_KMS_KEYS, {
    ...besideOthers('VAULT_KMS_ENDPOINT'),
    message: 'is of no use without VAULT_KMS_KEYS',
  })
  .refine((value) => !sharesVersion(value.VAULT_KEK ?? value.VAULT_KEK_FILE, value.VAULT_KMS_KEYS), {
    ...besideOthers('VAULT_KMS_KEYS'),
    message: 'has a version that a local key has too',
  });
export type Config = z.output<typeof environment>;

/** Reads the environment once. Throws one error that lists every variable at fault. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}

/** A variable that was at fault is no map here. */
function sharesVersion(local: unknown, kms: unknown): boolean {
  return local instanceof Map && kms instanceof Map && [...kms.keys()].some((version) => local.has(version));
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new RangeError('cannot be read');
  }
}

/** Nothing of the value goes into a message. */
function parseOrReport<Value>(text: string, parse: (text: string) => Value, addIssue: AddIssue): Value {
  try {
    return parse(text);
  } catch (error) {
    addIssue(error instanceof RangeError ? error.message : 'is not valid');
    return z.NEVER;
  }
}
