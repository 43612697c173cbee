import type { Provider } from '@gateway/providers';

/** Who is called, and for which model in that provider's own spelling. */
export interface Target {
  readonly provider: Provider;
  readonly model: string;
}
