/** The binding of a wrapped key. The key unwraps only with the same binding. */
export interface KeyBinding {
  /** The whole binding, as bytes. */
  readonly associatedData: Buffer;
  /** The part that may appear in the audit log of the key service. It contains no secrets. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A key-encryption key. It wraps only keys of 32 bytes, and may be in a service that never reveals it. */
export interface KeyEncryptionKey {
  /** Identifies the key in every replica, and reveals nothing about it. */
  readonly fingerprint: string;
  /** Rejects with `service_unavailable` when the key cannot be used now. */
  wrap(key: Buffer, binding: KeyBinding): Promise<Buffer<ArrayBuffer>>;
  /** Rejects if the key or the binding differs, and with `service_unavailable` when the key cannot be used now. */
  unwrap(wrapped: Uint8Array, binding: KeyBinding): Promise<Buffer>;
}
