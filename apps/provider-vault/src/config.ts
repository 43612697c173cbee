import { readFileSync } from 'node:fs';
import { parseConfig, postgresUrl, serviceVariables } from '@gateway/messaging';
import { z } from 'zod';
import { parseKmsKeys, parseLocalKeys } from './encryption/parse-keys.ts';

type AddIssue = (message: string) => void;

const unlessEmpty = (value: unknown) => (value === '' ? undefined : value);
/**
 * Parses an environment variable with `parse`. If parsing fails, the reported error does not contain the
 * value of the variable.
 */
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

/** Checks combinations of variables even if a single variable is invalid, so that all errors are listed. */
const besideOthers = (variable: string) => ({
  path: [variable],
  when: ({ value }: { value: unknown }) => typeof value === 'object',
});

const environment = z
  .object({
    ...serviceVariables,
    VAULT_DATABASE_URL: postgresUrl,
    /**
     * The key-encryption key, as 32 bytes in base64. With several keys, each key is written as `<version>:<base64>`.
     */
    VAULT_KEK: parsedBy(parseLocalKeys),
    /** The path of a file that contains the value of `VAULT_KEK`. */
    VAULT_KEK_FILE: parsedBy((file) => parseLocalKeys(readKeyFile(file))),
    /** Keys in AWS KMS, written as `<version>:<ARN>`. KMS keys replace the local keys or add further versions. */
    VAULT_KMS_KEYS: parsedBy(parseKmsKeys),
    /** The address that replaces the KMS address, for example the address of a VPC endpoint. */
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
    message: 'has no effect without VAULT_KMS_KEYS',
  })
  .refine((value) => !sharesVersion(value.VAULT_KEK ?? value.VAULT_KEK_FILE, value.VAULT_KMS_KEYS), {
    ...besideOthers('VAULT_KMS_KEYS'),
    message: 'has the same version as a local key',
  });
export type Config = z.output<typeof environment>;

/** Reads and checks the environment variables. Throws a single error that lists every invalid variable. */
export function loadConfig(variables: NodeJS.ProcessEnv = process.env): Config {
  return parseConfig(environment, variables);
}

/**
 * Whether the same version has both a local key and a KMS key. If an environment variable is invalid, its
 * argument is not a map.
 */
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

/**
 * Parses the value of an environment variable. The error message never contains the value of the variable.
 */
function parseOrReport<Value>(text: string, parse: (text: string) => Value, addIssue: AddIssue): Value {
  try {
    return parse(text);
  } catch (error) {
    addIssue(error instanceof RangeError ? error.message : 'is not valid');
    return z.NEVER;
  }
}
