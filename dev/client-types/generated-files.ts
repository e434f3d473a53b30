// Generates the client's files: types of bodies, calls, and problem classes.
import {
  type Call,
  callsOf,
  type Contract,
  isStream,
  jsonOf,
  problemsOf,
  resultsOf,
  type Schema,
  twinOf,
} from './contract.ts';
import {
  adminMethodNames,
  faultStatuses,
  methodNames,
  repeatablePosts,
  withoutMethod,
} from './method-names.ts';
import { doc, fieldsOf, literals, namedLists, typeOf } from './schema-type.ts';

const header = '// Written by `npm run generate` from docs/openapi.json.\n';
const importsOfCalls = `import type { CallOptions, IdempotentCallOptions } from '../options.ts';
import type { Pages } from '../pages.ts';
import type { EventStream, StreamOptions } from '../stream.ts';
`;

type Groups = Readonly<Record<string, Readonly<Record<string, string>>>>;
const adminGroups: Groups = { ...adminMethodNames.app, ...adminMethodNames.area };

/** Returns the unformatted texts of the files in `packages/client-ts/src/generated`, by name. */
export function generatedFiles(contract: Contract): Readonly<Record<string, string>> {
  const all = callsOf(contract);
  const calls = all.filter(
    (call) => !withoutMethod.has(call.operationId) && twinOf(call, all) === undefined,
  );
  const named = [methodNames, adminGroups].flatMap(Object.values).flatMap(Object.values);
  const nameless = calls.filter(({ operationId }) => !named.includes(operationId));
  if (nameless.length > 0)
    throw new Error(`no method has ${nameless.map(({ operationId }) => operationId).join(', ')}`);
  const models = [...namedLists(), ...schemaTypes(calls, contract)].join('');
  const texts = {
    'models.ts': models,
    'calls.ts': callsFile(models, calls, contract),
    'admin-calls.ts': adminCallsFile(models, all, contract),
    'problems.ts': problemClasses(problemsOf(calls, contract)),
  };
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, header + text]));
}

function callsFile(models: string, calls: readonly Call[], contract: Contract): string {
  const groups = Object.entries(methodNames).map(([group, methods]) =>
    interfaceOf(typeOfGroup(group), methodsOf(methods, calls, contract)),
  );
  return [
    importsOfCalls,
    importOf(models, groups.join('')),
    ...groups,
    interfaceOf('HeraldCalls', Object.keys(methodNames).map(typedGroup)),
    '/** The facts that the transport needs about each call. */\n',
    callTable('calls', rowsOf(methodNames, calls, contract)),
  ].join('');
}

function adminCallsFile(models: string, all: readonly Call[], contract: Contract): string {
  const groups = Object.entries(adminGroups).map(([group, methods]) =>
    interfaceOf(typeOfAdminGroup(group), methodsOf(methods, all, contract)),
  );
  const shared = new Set(all.map((call) => twinOf(call, all)?.operationId));
  const left = Object.entries(methodNames).map(([group, methods]) => {
    const missing = Object.entries(methods).filter(([, id]) => !shared.has(id));
    return [group, missing.map(([name]) => name), Object.keys(methods).length] as const;
  });
  const kept = left.filter(([, missing, count]) => missing.length < count);
  const sharedGroups = kept.map(([group, missing]) => {
    const type = typeOfGroup(group);
    const isWhole = missing.length === 0;
    return `readonly ${group}: ${isWhole ? type : `Omit<${type}, ${literals(missing)}>`};\n`;
  });
  const types = kept.map(([group]) => typeOfGroup(group)).join(', ');
  const typed = (group: string) => `readonly ${group}: ${typeOfAdminGroup(group)};\n`;
  const { app, area } = adminMethodNames;
  const keysAlone = Object.values(methodNames)
    .flatMap(Object.values)
    .filter((id) => !shared.has(id));
  return [
    importsUsed(groups.join('')),
    `import type { ${types} } from './calls.ts';\n`,
    importOf(models, groups.join('')),
    ...groups,
    interfaceOf('AdminAppCalls', [...sharedGroups, ...Object.keys(app).map(typed)]),
    interfaceOf('AdminCalls', Object.keys(area).map(typed)),
    '/** The calls that are available to API keys only, not to admins. */\n',
    `export const keysAlone: readonly string[] = ${JSON.stringify(keysAlone)};\n\n`,
    callTable('adminAppCalls', rowsOf(app, all, contract)),
    callTable('adminCalls', rowsOf(area, all, contract)),
  ].join('');
}

/** Returns the imports of calls that a text uses. */
function importsUsed(text: string): string {
  const isUsed = (line: string) =>
    [...line.matchAll(/\b[A-Z]\w+/g)].some(([name]) => new RegExp(`\\b${name}\\b`).test(text));
  return importsOfCalls.split('\n').filter(isUsed).join('\n') + '\n';
}

/** Returns the line that imports the types of one text that another uses. */
function importOf(declared: string, using: string): string {
  const names = [...declared.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name]) => name,
  );
  const used = names.filter((name) => new RegExp(`\\b${name}\\b`).test(using));
  return `import type { ${used.join(', ')} } from './models.ts';\n\n`;
}

/** Returns the schemas that the calls use, directly or not, in the contract's order. */
function schemaTypes(calls: readonly Call[], { components }: Contract): string[] {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name = ''] of JSON.stringify(value ?? null).matchAll(/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(components.schemas[name]);
    }
  };
  for (const call of calls) {
    visit(call.requestBody);
    visit(resultsOf(call));
  }
  return Object.entries(components.schemas)
    .filter(([name]) => used.has(name) && name !== 'FieldError')
    .map(([name, schema]) => schemaType(name, schema));
}

function schemaType(name: string, schema: Schema): string {
  const { description, ...plain } = schema;
  const isInterface = plain.type === 'object' && plain.properties !== undefined;
  return isInterface
    ? `${doc(description)}export interface ${name} ${fieldsOf(plain)}\n\n`
    : `${doc(description)}export type ${name} = ${typeOf(plain)};\n\n`;
}

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const typeOfGroup = (group: string) => `${capitalized(group)}Calls`;
const typeOfAdminGroup = (group: string) => `Admin${capitalized(group)}Calls`;
const typedGroup = (group: string) => `readonly ${group}: ${typeOfGroup(group)};\n`;

function callOf(operationId: string, calls: readonly Call[]): Call {
  const call = calls.find((one) => one.operationId === operationId);
  if (call === undefined) throw new Error(`the contract has no ${operationId}`);
  return call;
}

function methodsOf(
  methods: Readonly<Record<string, string>>,
  calls: readonly Call[],
  contract: Contract,
): string[] {
  return Object.entries(methods).map(([name, operationId]) => {
    const call = callOf(operationId, calls);
    const description = call.description?.replaceAll('\n\n', ' ') ?? '';
    const shown = `${doc(`${call.summary}. ${description}`.trim())}${name}(${argumentsOf(call)})`;
    return `${shown}: ${resultTypeOf(call, contract)};\n`;
  });
}

function interfaceOf(name: string, members: readonly string[]): string {
  return `export interface ${name} {\n${members.join('')}}\n\n`;
}

const parametersOf = (call: Call, location: string) =>
  (call.parameters ?? []).filter((one) => one.in === location && !isOfClient(call, one.name));
/** The client knows its application, except in calls about applications. */
const isOfClient = ({ path }: Call, name: string) =>
  name === 'appUid' && !path.endsWith('{appUid}');
const takesKey = (call: Call) =>
  parametersOf(call, 'header').some(({ name }) => name === 'Idempotency-Key');

function argumentsOf(call: Call): string {
  const { requestBody } = call;
  const query = parametersOf(call, 'query');
  const body = requestBody === undefined ? undefined : jsonOf(requestBody);
  const fields = query.map(({ name, schema, required }) => {
    return `${doc(schema.description)}${name}${required ? '' : '?'}: ${typeOf(schema)};\n`;
  });
  return [
    ...parametersOf(call, 'path').map(({ name }) => `${name}: string`),
    ...(body === undefined ? [] : [`body${isBodyOptional(call) ? '?' : ''}: ${typeOf(body)}`]),
    ...(query.length === 0 ? [] : [`query?: {\n${fields.join('')}}`]),
    `options?: ${optionsTypeOf(call)}`,
  ].join(', ');
}

function optionsTypeOf(call: Call): string {
  if (isStream(call)) return 'StreamOptions';
  return takesKey(call) ? 'IdempotentCallOptions' : 'CallOptions';
}

/** Checks whether a call is useful without a body. */
function isBodyOptional({ operationId }: Call): boolean {
  return ['rotateWebhookSecret', 'testWebhook', 'resendEvent', 'adminRollApiKey'].includes(
    operationId,
  );
}

/** Returns the schema of the items of a list, with or without pages. */
function itemOf(call: Call, { components }: Contract): Schema | undefined {
  const [result, ...others] = resultsOf(call);
  if (result === undefined || others.length > 0 || call.method !== 'GET') return undefined;
  const resolved = components.schemas[result.$ref?.split('/').at(-1) ?? ''] ?? result;
  const { data } = resolved.properties ?? {};
  const list = resolved.type === 'array' ? resolved : data;
  return typeof list === 'object' && list.type === 'array' ? list.items : undefined;
}

function resultTypeOf(call: Call, contract: Contract): string {
  if (isStream(call)) return 'EventStream';
  const item = itemOf(call, contract);
  if (item !== undefined) return `Pages<${typeOf(item)}>`;
  const results = resultsOf(call).map(typeOf);
  return `Promise<${results.length === 0 ? 'void' : results.join(' | ')}>`;
}

function rowsOf(groups: Groups, calls: readonly Call[], contract: Contract): string[] {
  return Object.entries(groups).map(([group, methods]) => {
    const rows = Object.entries(methods).map(
      ([name, operationId]) => `${name}: ${rowOf(callOf(operationId, calls), contract)},\n`,
    );
    return `${group}: {\n${rows.join('')}},\n`;
  });
}

function callTable(name: string, groups: readonly string[]): string {
  return `export const ${name} = {\n${groups.join('')}} as const;\n\n`;
}

function rowOf(call: Call, contract: Contract): string {
  const { operationId, method, path, security, requestBody } = call;
  const input = requestBody === undefined ? 'query' : 'body';
  const hasInput = requestBody !== undefined || parametersOf(call, 'query').length > 0;
  return JSON.stringify({
    id: operationId,
    method,
    path: path.replace(/\{appUid\}$/, '{uid}'),
    input: hasInput ? input : null,
    needsKey: security.length > 0,
    takesIdempotencyKey: takesKey(call),
    isRepeatable: ['GET', 'PUT', 'DELETE'].includes(method) || repeatablePosts.has(operationId),
    faultStatus: faultStatuses[operationId] ?? null,
    kind: kindOf(call, contract),
  });
}

function kindOf(call: Call, contract: Contract): string {
  if (isStream(call)) return 'stream';
  if (itemOf(call, contract) !== undefined) return 'list';
  return resultsOf(call).length === 0 ? 'none' : 'object';
}

function problemClasses(problems: ReadonlyMap<string, string>): string {
  const classNames = [...problems.keys()].map((code) => [code, classOf(code)] as const);
  const classes = [...problems].map(
    ([code, text]) =>
      `${doc(text)}export class ${classOf(code)} extends HeraldProblem {
  override readonly name = '${classOf(code)}';
  declare readonly code: '${code}';
}\n\n`,
  );
  const table = classNames.map(([code, name]) => `${code}: ${name},\n`).join('');
  const docstring = '/** The class of each problem, by its code. */\n';
  return [
    "import { HeraldProblem } from '../errors.ts';\n\n",
    ...classes,
    `${docstring}export const problemClasses = {\n${table}} as const;\n\n`,
    'export type ProblemCode = keyof typeof problemClasses;\n',
  ].join('');
}

const classOf = (code: string) => `${code.split('_').map(capitalized).join('')}Error`;
