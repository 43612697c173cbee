/** The binding for a wrapped key. The key can be unwrapped only with the same binding. */
export interface KeyBinding {
  /** The whole binding, as bytes. */
  readonly associatedData: Buffer;
  /** The part of the binding that may appear in the key service's audit log. Contains no secrets. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * A key-encryption key. The key wraps only 32-byte keys. A key service that never reveals the key may store
 * it.
 */
export interface KeyEncryptionKey {
  /** Identifies the key in every replica, and reveals nothing about it. */
  readonly fingerprint: string;
  /** Rejects with `service_unavailable` if the key cannot be used at the moment. */
  wrap(key: Buffer, binding: KeyBinding): Promise<Buffer<ArrayBuffer>>;
  /**
   * Rejects if the key or the binding differs. Rejects with `service_unavailable` if the key cannot be used
   * at the moment.
   */
  unwrap(wrapped: Uint8Array, binding: KeyBinding): Promise<Buffer>;
}
