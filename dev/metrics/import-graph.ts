import type { CodeFile } from './code-file.ts';

/** Returns the files that `entry` reaches by value imports without leaving the rooms, itself first. */
export function reachedFrom(
  files: readonly CodeFile[],
  { entry, rooms }: { entry: string; rooms: readonly string[] },
): CodeFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Map<string, CodeFile>();
  const open = [entry];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = byPath.get(path);
    const isInside = path === entry || rooms.some((room) => path.startsWith(`${room}/`));
    if (file === undefined || reached.has(path) || !isInside) continue;
    reached.set(path, file);
    for (const each of file.imports) if (!each.isType) open.push(each.path);
  }
  return [...reached.values()];
}

/**
 * Returns the groups of files of which each reaches every other, type imports counted, the largest
 * first. Tarjan's algorithm for strongly connected components.
 */
export function importCycles(files: readonly CodeFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];

  function visit(file: CodeFile): number {
    const own = order.size;
    order.set(file.path, own);
    stack.push(file.path);
    let low = own;
    for (const { path } of file.imports) {
      const next = byPath.get(path);
      if (next === undefined) continue;
      if (!order.has(path)) low = Math.min(low, visit(next));
      else if (stack.includes(path)) low = Math.min(low, lowest.get(path) ?? order.get(path) ?? 0);
    }
    lowest.set(file.path, low);
    if (low === own) {
      const group = stack.splice(stack.indexOf(file.path));
      if (group.length > 1) cycles.push(group.toSorted());
    }
    return low;
  }

  for (const file of files) if (!order.has(file.path)) visit(file);
  return cycles.toSorted((a, b) => b.length - a.length);
}
