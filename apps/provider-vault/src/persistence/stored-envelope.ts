import { z } from 'zod';
import type { Envelope } from '../domain/envelope.ts';
import type { CredentialRow } from './vault-database.ts';

const storedFields = z.record(z.string(), z.string());

/** The envelope in a row. */
export function parseEnvelope({
  keyVersion,
  wrappedDataKey,
  fields,
}: Pick<CredentialRow, 'keyVersion' | 'wrappedDataKey' | 'fields'>): Envelope {
  return { keyVersion, wrappedDataKey, fields: storedFields.parse(fields) };
}
