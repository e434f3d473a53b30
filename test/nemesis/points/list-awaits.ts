// Lists every await of the service, and writes a copy of its source in which each one is a point where it can be killed.
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { API } from 'typescript/unstable/sync';
import * as ast from 'typescript/unstable/ast';

/** Workflows are left out: they are deterministic, have no effects, and Temporal repeats them from their history. */
const instrumentedFolders = ['activities', 'api', 'lib', 'worker'];
const copiedOnly = ['cli', 'workflows', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];

const outermost = 'module';
const awaitUsing: number = ast.NodeFlags.AwaitUsing;

export interface Point {
  /** The file, the function and the ordinal in the function, because lines move. */
  name: string;
  /** The function of the runtime around the operand. */
  wrapper: 'settled' | 'eachOf' | 'disposed';
  /** The range of the operand in the text. */
  start: number;
  end: number;
}

interface ListedFile {
  /** Relative to the root. */
  path: string;
  text: string;
  points: Point[];
}

/** Lists the awaits in all files of the project that `tsconfigPath` describes, or in those of some folders. */
export function listAwaits(tsconfigPath: string, folders: readonly string[] = ['']): ListedFile[] {
  const root = dirname(tsconfigPath);
  const api = new API({ cwd: root });
  try {
    const snapshot = api.updateSnapshot({ openProjects: [tsconfigPath] });
    const { program, rootFiles } = snapshot.getProjects()[0] ?? { rootFiles: [] };
    return rootFiles
      .map((name) => ({ name, path: relative(root, name) }))
      .filter(({ path }) => folders.some((folder) => path.startsWith(folder)))
      .map(({ name, path }) => {
        const file = program?.getSourceFile(name);
        if (file === undefined) throw new Error(`${name} was not parsed`);
        return { path, text: file.text, points: pointsOf(file, path) };
      });
  } finally {
    api.close();
  }
}

interface Scope {
  functionName: string;
  /** The declaration that names the next function. */
  declared?: string | undefined;
}

function pointsOf(file: ast.SourceFile, path: string): Point[] {
  const points: Point[] = [];
  const counts = new Map<string, number>();
  const add = (operand: ast.Node | undefined, wrapper: Point['wrapper'], scope: Scope): void => {
    if (operand === undefined) throw new Error(`${path} has an await without an operand`);
    const count = (counts.get(scope.functionName) ?? 0) + 1;
    counts.set(scope.functionName, count);
    const name = `${path}:${scope.functionName}:${count}`;
    points.push({ name, wrapper, start: operand.getStart(file), end: operand.end });
  };
  const visit = (node: ast.Node, outer: Scope): void => {
    const scope = scopeOf(node, outer, file);
    if (ast.isAwaitExpression(node)) add(node.expression, 'settled', scope);
    if (ast.isForOfStatement(node) && node.awaitModifier !== undefined)
      add(node.expression, 'eachOf', scope);
    const isAwaitUsing = (node.flags & awaitUsing) === awaitUsing;
    if (ast.isVariableDeclarationList(node) && isAwaitUsing)
      for (const { initializer } of node.declarations) add(initializer, 'disposed', scope);
    node.forEachChild((child) => visit(child, scope));
  };
  visit(file, { functionName: outermost });
  return points;
}

function scopeOf(node: ast.Node, outer: Scope, file: ast.SourceFile): Scope {
  const name = 'name' in node ? (node.name as ast.Node | undefined)?.getText(file) : undefined;
  if (isFunction(node)) return { functionName: name ?? outer.declared ?? outer.functionName };
  const declares =
    ast.isVariableDeclaration(node) ||
    ast.isPropertyAssignment(node) ||
    ast.isPropertyDeclaration(node);
  if (!declares) return outer;
  const isNamed = outer.functionName === outermost || isFunction(node.initializer);
  return isNamed ? { ...outer, declared: name } : outer;
}

function isFunction(node: ast.Node | undefined): boolean {
  if (node === undefined) return false;
  return (
    ast.isFunctionDeclaration(node) ||
    ast.isFunctionExpression(node) ||
    ast.isArrowFunction(node) ||
    ast.isMethodDeclaration(node)
  );
}

/** Returns the text with each operand inside of a call of the runtime, on the same lines. */
export function instrument({ text, points }: Pick<ListedFile, 'text' | 'points'>): string {
  const inserted = points
    .flatMap(({ name, wrapper, start, end }) => [
      { at: start, added: `crashPoint.${wrapper}(${JSON.stringify(name)}, ` },
      { at: end, added: ')' },
    ])
    .toSorted((one, other) => one.at - other.at);
  let copied = 0;
  const parts = inserted.map(({ at, added }) => {
    const before = text.slice(copied, at);
    copied = at;
    return before + added;
  });
  return parts.join('') + text.slice(copied);
}

/** Writes an instrumented copy of the source to a folder. Returns the names of all points. */
export async function copyWithPoints(folder: string): Promise<string[]> {
  const files = listAwaits(join(process.cwd(), 'tsconfig.build.json'), instrumentedFolders);
  for (const file of files) {
    const path = join(folder, file.path);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, instrument(file));
  }
  for (const name of copiedOnly) await cp(name, join(folder, name), { recursive: true });
  return files.flatMap(({ points }) => points.map(({ name }) => name));
}
