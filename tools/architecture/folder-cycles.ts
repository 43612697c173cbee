import { dirname } from 'node:path';
import type { SourceFile } from './source-tree.ts';

/** Folders, or direct children of one folder, that form a dependency cycle. */
export interface FolderCycle {
  /** The scope of the check, which is all folders of a project or the direct children of one folder. */
  readonly within: string;
  readonly members: readonly string[];
  /** Up to ten imports of the dependency cycle, as `from → to`. */
  readonly imports: readonly string[];
}

type Edge = readonly [from: SourceFile, to: string];

/**
 * Finds dependency cycles between folders. The check applies two rules to each app and library:
 *
 * - Each file belongs to the folder that contains the file. The imports between the folders form no cycle.
 *   For example, a parent folder must not import a child folder that imports the parent folder.
 * - The direct children of a folder (subfolders with all their content, and single files) form no cycle.
 *
 * Without cycles, a reader can read the folders one by one, starting at the bottom of the dependency tree.
 */
export function findFolderCycles(sources: readonly SourceFile[]): FolderCycle[] {
  const projects = Map.groupBy(sources, ({ project }) => project);
  return [...projects].flatMap(([project, files]) => {
    const edges = files.flatMap((file) =>
      file.imports.filter((to) => to.startsWith(`${project}/`)).map((to): Edge => [file, to]),
    );
    return [...cyclesBetweenFolders(project, edges), ...cyclesAmongChildren(files, edges)];
  });
}

function cyclesBetweenFolders(project: string, edges: readonly Edge[]): FolderCycle[] {
  return findCycles(project, edges, (path) => dirname(path));
}

function cyclesAmongChildren(files: readonly SourceFile[], edges: readonly Edge[]): FolderCycle[] {
  return [...listFolders(files)].flatMap((folder) => {
    const prefix = `${folder}/`;
    return findCycles(folder, edges, (path) =>
      path.startsWith(prefix) ? prefix + String(path.slice(prefix.length).split('/')[0]) : undefined,
    );
  });
}

/** Returns every folder of the project that contains a source file, at any depth. */
function listFolders(files: readonly SourceFile[]): Set<string> {
  const folders = new Set<string>();
  for (const { path, project } of files) {
    for (let folder = dirname(path); folder !== project; folder = dirname(folder)) folders.add(folder);
  }
  return folders;
}

function findCycles(
  within: string,
  edges: readonly Edge[],
  nodeOf: (path: string) => string | undefined,
): FolderCycle[] {
  const graph = new Map<string, Set<string>>();
  const reasons: { readonly from: string; readonly to: string; readonly text: string }[] = [];
  for (const [file, target] of edges) {
    const from = nodeOf(file.path);
    const to = nodeOf(target);
    if (from === undefined || to === undefined || from === to) continue;
    graph.set(from, (graph.get(from) ?? new Set()).add(to));
    reasons.push({ from, to, text: `${file.path} → ${target}` });
  }
  return stronglyConnected(graph).map((members) => ({
    within,
    members: members.sort(),
    imports: reasons
      .filter(({ from, to }) => members.includes(from) && members.includes(to))
      .slice(0, 10)
      .map(({ text }) => text),
  }));
}

/** Returns groups of two or more graph nodes that can reach each other. Uses Tarjan's algorithm. */
function stronglyConnected(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): number => {
    const index = order.size;
    order.set(node, index);
    lowest.set(node, index);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const reached = order.has(next)
        ? stack.includes(next)
          ? (order.get(next) ?? index)
          : index
        : visit(next);
      lowest.set(node, Math.min(lowest.get(node) ?? index, reached));
    }
    const low = lowest.get(node) ?? index;
    if (low === index) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) groups.push(group);
    }
    return low;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return groups;
}
