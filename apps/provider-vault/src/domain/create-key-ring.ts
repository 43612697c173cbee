import { AwsKmsKey, createKmsClient } from './aws-kms-key.adapter.ts';
import type { KeyEncryptionKey } from './key-encryption-key.port.ts';
import { KeyRing } from './key-ring.ts';
import { LocalKey } from './local-key.ts';
import type { KmsKeyName } from './parse-keys.ts';

/** The keys as they were configured, by version. No version is in both. */
export interface ConfiguredKeys {
  readonly local: ReadonlyMap<number, Buffer> | undefined;
  readonly kms: ReadonlyMap<number, KmsKeyName> | undefined;
  /** Replaces the address of KMS. */
  readonly kmsEndpoint: string | undefined;
}

/** Local keys and keys of KMS side by side: that is how one moves from the one kind to the other. */
export function createKeyRing({ local, kms, kmsEndpoint }: ConfiguredKeys): KeyRing {
  const keys = new Map<number, KeyEncryptionKey>();
  for (const [version, key] of local ?? []) keys.set(version, new LocalKey(key));
  const clients = new Map<string, ReturnType<typeof createKmsClient>>();
  for (const [version, name] of kms ?? []) {
    const client = clients.get(name.region) ?? createKmsClient(name.region, kmsEndpoint);
    clients.set(name.region, client);
    keys.set(version, new AwsKmsKey(client, name));
  }
  return new KeyRing(keys);
}
