import type { ToolListIndex } from '../ranking/tool-list-index.ts';

export type FoundToolList =
  | { readonly status: 'known'; readonly index: ToolListIndex }
  /** Hashes of the definitions that are not known; none when it is the list itself that is not. */
  | { readonly status: 'unknown'; readonly missing: string[] };

/** Tool lists by their hash. */
export interface ToolLists {
  /** @throws GatewayError `invalid_field` when `listHash` is not the hash of `toolHashes`. */
  find(listHash: string, toolHashes: readonly string[] | undefined): FoundToolList;
}
