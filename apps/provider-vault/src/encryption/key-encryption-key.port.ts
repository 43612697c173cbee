/** What a wrapped key belongs to: it opens with this binding and with no other. */
export interface KeyBinding {
  /** All of it, in bytes. */
  readonly associatedData: Buffer;
  /** The part that may stand in the audit log of who keeps the key: no secrets. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A key-encryption key: it closes keys of 32 bytes and nothing else, and may live where its bytes can't be read. */
export interface KeyEncryptionKey {
  /** The same for the same key, wherever it is held; tells nothing of it. */
  readonly fingerprint: string;
  /** Rejects with `service_unavailable` when the key cannot be used now. */
  wrap(key: Buffer, binding: KeyBinding): Promise<Buffer<ArrayBuffer>>;
  /** Rejects when anything is not what it was wrapped with, and with `service_unavailable` when the key cannot be used now. */
  unwrap(wrapped: Uint8Array, binding: KeyBinding): Promise<Buffer>;
}
