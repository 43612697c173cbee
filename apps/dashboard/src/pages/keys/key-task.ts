import type { ApiKey } from '../../api/keys.ts';

/** What is being done to which key. */
export interface KeyTask {
  readonly kind: 'edit' | 'tools' | 'rotate' | 'revoke';
  readonly apiKey: ApiKey;
}
