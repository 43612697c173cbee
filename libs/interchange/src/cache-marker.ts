/** The client's wish that the prompt up to and including this be kept in the provider's cache. */
export interface CacheMarker {
  /** How long: `5m`, `1h`. Absent: the provider's default. */
  readonly ttl?: string;
}
