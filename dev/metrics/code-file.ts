// The facts of one source file, from TypeScript's syntax tree.
import { posix } from 'node:path';
import {
  createScanner,
  type ExportDeclaration,
  type ImportDeclaration,
  isArrayLiteralExpression,
  isAsExpression,
  isBlock,
  isCallExpression,
  isExportDeclaration,
  isFunctionDeclaration,
  isFunctionLikeDeclaration,
  isIdentifier,
  isImportDeclaration,
  isImportTypeNode,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isMethodDeclaration,
  isMethodSignatureDeclaration,
  isNamedExports,
  isNamedImports,
  isPropertyAssignment,
  isPropertyDeclaration,
  isPropertySignatureDeclaration,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
  type VariableDeclaration,
} from 'typescript/unstable/ast';

/** A function with a body in braces, without its comment. */
interface CodeFunction {
  name: string;
  line: number;
  lines: number;
}

/** An import of a file of the same tree. */
interface CodeImport {
  path: string;
  isType: boolean;
}

export interface CodeFile {
  /** From the root of the tree, with forward slashes. */
  path: string;
  lines: number;
  /** Those that hold a comment or a part of one. */
  commentLines: number;
  functions: CodeFunction[];
  imports: CodeImport[];
  declaredFunctions: string[];
  /** The names that `export { … } from` passes on. */
  passedOn: string[];
  /** The texts of each constant that is a list of texts. */
  lists: Record<string, string[]>;
  /** The members of each interface. */
  interfaces: Record<string, string[]>;
}

export function describeFile(path: string, source: SourceFile): CodeFile {
  const file: CodeFile = {
    path,
    lines: source.text.split('\n').length - 1,
    commentLines: countCommentLines(source),
    functions: [],
    imports: [],
    declaredFunctions: [],
    passedOn: [],
    lists: {},
    interfaces: {},
  };
  forEachNode(source, (node) => {
    addFunction(file, node, source);
    addImport(file, node);
    addDeclaration(file, node, source);
  });
  return file;
}

function forEachNode(node: Node, visit: (node: Node) => void): void {
  visit(node);
  node.forEachChild((child) => forEachNode(child, visit));
}

function addFunction(file: CodeFile, node: Node, source: SourceFile): void {
  if (!isFunctionLikeDeclaration(node)) return;
  if (!('body' in node) || node.body === undefined || !isBlock(node.body)) return;
  const first = lineAt(source, node.getStart(source));
  const lines = lineAt(source, node.end) - first + 1;
  const name = nameOf(node) ?? nameOf(node.parent);
  file.functions.push({ name: name?.getText(source) ?? 'callback', line: first, lines });
}

function nameOf(node: Node): Node | undefined {
  if (isFunctionDeclaration(node) || isMethodDeclaration(node)) return node.name;
  if (isPropertyAssignment(node) || isPropertyDeclaration(node)) return node.name;
  return isVariableDeclaration(node) ? node.name : undefined;
}

function addImport(file: CodeFile, node: Node): void {
  const found = importOf(node);
  if (found === null || !isStringLiteral(found.from) || !found.from.text.startsWith('.')) return;
  const path = posix.join(posix.dirname(file.path), found.from.text);
  file.imports.push({ path, isType: found.isType });
}

function importOf(node: Node): { from: Node; isType: boolean } | null {
  if (isImportDeclaration(node)) return { from: node.moduleSpecifier, isType: isTypeImport(node) };
  if (isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return { from: node.moduleSpecifier, isType: isTypeExport(node) };
  }
  if (isImportTypeNode(node) && isLiteralTypeNode(node.argument)) {
    return { from: node.argument.literal, isType: true };
  }
  if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
    const [from] = node.arguments;
    return from === undefined ? null : { from, isType: false };
  }
  return null;
}

function isTypeImport({ importClause }: ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  if (importClause.phaseModifier === SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = importClause;
  if (name !== undefined || namedBindings === undefined) return false;
  return isNamedImports(namedBindings) && namedBindings.elements.every((each) => each.isTypeOnly);
}

function isTypeExport({ isTypeOnly, exportClause }: ExportDeclaration): boolean {
  if (isTypeOnly || exportClause === undefined) return isTypeOnly;
  return isNamedExports(exportClause) && exportClause.elements.every((each) => each.isTypeOnly);
}

function addDeclaration(file: CodeFile, node: Node, source: SourceFile): void {
  if (isFunctionDeclaration(node) && node.parent === source && node.name !== undefined) {
    file.declaredFunctions.push(node.name.text);
  }
  if (isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    const { exportClause } = node;
    if (exportClause !== undefined && isNamedExports(exportClause)) {
      file.passedOn.push(...exportClause.elements.map(({ name }) => name.text));
    }
  }
  if (isInterfaceDeclaration(node)) {
    const members = node.members.filter(
      (member) => isMethodSignatureDeclaration(member) || isPropertySignatureDeclaration(member),
    );
    file.interfaces[node.name.text] = members.map(({ name }) => name.getText(source));
  }
  if (isVariableDeclaration(node) && isIdentifier(node.name)) {
    const texts = textsOf(node);
    if (texts !== null) file.lists[node.name.text] = texts;
  }
}

function textsOf({ initializer }: VariableDeclaration): string[] | null {
  if (initializer === undefined) return null;
  const value = isAsExpression(initializer) ? initializer.expression : initializer;
  if (!isArrayLiteralExpression(value)) return null;
  const texts = value.elements.flatMap((each) => (isStringLiteral(each) ? [each.text] : []));
  return texts.length > 0 && texts.length === value.elements.length ? texts : null;
}

function lineAt(source: SourceFile, position: number): number {
  const starts = source.getLineStarts();
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle;
  }
  return low + 1;
}

/** Scans the tokens. What `/` and `}` begin depends on the grammar, so it comes from the tree. */
function countCommentLines(source: SourceFile): number {
  const regexps = new Set<number>();
  const templates = new Set<number>();
  forEachNode(source, (node) => {
    if (node.kind === SyntaxKind.RegularExpressionLiteral) regexps.add(node.getStart(source));
    if (node.kind === SyntaxKind.TemplateMiddle || node.kind === SyntaxKind.TemplateTail) {
      templates.add(node.getStart(source));
    }
  });
  const commented = new Set<number>();
  const scanner = createScanner(false, source.languageVariant, source.text);
  for (let token = scanner.scan(); token !== SyntaxKind.EndOfFile; token = scanner.scan()) {
    const start = scanner.getTokenStart();
    if (regexps.has(start)) scanner.reScanSlashToken();
    else if (templates.has(start)) scanner.reScanTemplateToken(false);
    else if (isComment(token)) {
      const last = lineAt(source, scanner.getTokenEnd() - 1);
      for (let line = lineAt(source, start); line <= last; line += 1) commented.add(line);
    }
  }
  return commented.size;
}

function isComment(token: SyntaxKind): boolean {
  return (
    token === SyntaxKind.SingleLineCommentTrivia || token === SyntaxKind.MultiLineCommentTrivia
  );
}
