import type { KeyGrant } from '@gateway/contracts';

/**
 * A key's restrictions on tools. Names must match exactly. Denied tools override allowed tools. Null means no
 * restriction.
 */
export type ToolLists = Pick<KeyGrant, 'allowedTools' | 'deniedTools'>;

/**
 * One name of a tool in all of its spellings, for example `web_search_20250305` and `web_search`. A list that
 * contains one of the spellings names the tool.
 */
export type ToolIdentity = readonly string[];

/** The tools that a key with tool lists may use. */
export class ToolPermission {
  readonly #allowed: ReadonlySet<string> | null;
  readonly #denied: ReadonlySet<string>;

  constructor({ allowedTools, deniedTools }: ToolLists) {
    this.#allowed = allowedTools && new Set(allowedTools);
    this.#denied = new Set(deniedTools ?? []);
  }

  /** Whether the list of denied tools has the name. */
  denies(name: string): boolean {
    return this.#denied.has(name);
  }

  permits(name: string): boolean {
    return !this.#denied.has(name) && (this.#allowed === null || this.#allowed.has(name));
  }

  /**
   * Returns whether each identity is permitted. An identity is permitted if none of its spellings is denied
   * and one of them is allowed.
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
 * Returns the permission that a key's lists define. Null for a key without lists, which may use every tool.
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
