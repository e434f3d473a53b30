// Node's modules, loaded without an import that other platforms would refuse.

interface NodeProcess {
  getBuiltinModule?: (name: string) => unknown;
  versions?: Readonly<Record<string, string | undefined>>;
  env?: Readonly<Record<string, string | undefined>>;
}

export const { process: nodeProcess } = globalThis as { process?: NodeProcess };

/** Returns a module of Node, or undefined on a platform without it. */
export function builtinModule(name: string): unknown {
  return nodeProcess?.getBuiltinModule?.(name);
}
