import type { Provider } from '@gateway/providers';
import type { Lane } from './lane.ts';

/** Who is called, for which model in that provider's own spelling, and in which format. */
export interface Target {
  readonly provider: Provider;
  readonly model: string;
  readonly lane: Lane;
  /** Under the provider's address, instead of its chat endpoint. */
  readonly path?: string;
  /** The caller's own credential, in place of the stored one. A secret. */
  readonly ownCredential: string | null;
  /** Who is asked instead, in this order, when this one cannot answer. Asked for only then. Absent: nobody. */
  readonly alternatives?: () => readonly Target[];
}
