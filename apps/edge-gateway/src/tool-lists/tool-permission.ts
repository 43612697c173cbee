import type { KeyGrant } from '@gateway/contracts';

/**
 * The allow list and deny list of tools for an API key. A name in a list must match the tool name exactly.
 * Denied tools override allowed tools. A list that is null does not restrict tools.
 */
export type ToolLists = Pick<KeyGrant, 'allowedTools' | 'deniedTools'>;

/**
 * One name of a tool in all of its spellings, for example `web_search_20250305` and `web_search`. A list
 * matches a tool if it contains one of the tool's spellings.
 */
export type ToolIdentity = readonly string[];

/** The tools that an API key with allow or deny lists may use. */
export class ToolPermission {
  readonly #allowed: ReadonlySet<string> | null;
  readonly #denied: ReadonlySet<string>;

  constructor({ allowedTools, deniedTools }: ToolLists) {
    this.#allowed = allowedTools && new Set(allowedTools);
    this.#denied = new Set(deniedTools ?? []);
  }

  /** Whether the deny list contains the tool name. */
  denies(name: string): boolean {
    return this.#denied.has(name);
  }

  permits(name: string): boolean {
    return !this.#denied.has(name) && (this.#allowed === null || this.#allowed.has(name));
  }

  /**
   * Returns whether all names of a tool are permitted. A name is permitted if none of its spellings is denied
   * and one of its spellings is allowed.
   */
  permitsAll(identities: readonly ToolIdentity[]): boolean {
    return identities.every(
      (spellings) =>
        !spellings.some((name) => this.#denied.has(name)) && spellings.some((name) => this.permits(name)),
    );
  }
}

const known = new WeakMap<ToolLists, ToolPermission>();

/**
 * Returns the permission that results from an API key's allow and deny lists. Returns null for an API key
 * that may use every tool.
 */
export function permissionOf(lists: ToolLists): ToolPermission | null {
  const { allowedTools, deniedTools } = lists;
  if (allowedTools === null && (deniedTools === null || deniedTools.length === 0)) return null;
  const found = known.get(lists);
  if (found !== undefined) return found;
  const permission = new ToolPermission(lists);
  known.set(lists, permission);
  return permission;
}
