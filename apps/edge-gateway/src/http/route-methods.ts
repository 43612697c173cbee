interface NotedRoute {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

/** Which methods each path takes, so that a wrong one is told from a wrong path. */
export class RouteMethods {
  readonly #routes: NotedRoute[] = [];

  /** @param url in the router's notation: `:name` stands for one segment, `*` for the rest of the path. */
  note(methods: readonly string[], url: string): void {
    const source = url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[^/]+/g, '[^/]+')
      .replaceAll('*', '.*');
    this.#routes.push({ pattern: new RegExp(`^${source}$`), methods });
  }

  /** Empty when nothing is at that path. */
  methodsOf(path: string): readonly string[] {
    const found = this.#routes.filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => methods))];
  }
}
