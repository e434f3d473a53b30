// Checks responses against the contract, docs/openapi.json: status, type, headers and body. Unknown fields are errors.
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SchemaObject, ValidateFunction } from 'ajv';

interface Answered {
  content?: Record<string, { schema: SchemaObject }>;
  headers?: Record<string, unknown>;
}

interface Call {
  operationId: string;
  responses: Record<string, Answered | { $ref: string }>;
}

interface Contract {
  paths: Record<string, Record<string, Call>>;
  components: { responses: Record<string, Answered>; schemas: Record<string, SchemaObject> };
}

/** The facts about a response that are checked. `path` can have a query. */
export interface CheckedAnswer {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  text: string;
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);
// Headers of problem responses that depend on the problem.
const sometimes = new Set(['retry-after', 'ratelimit', 'ratelimit-policy']);
const validators = new Map<SchemaObject, ValidateFunction>();
let known: { contract: Contract; ajv: Ajv2020 } | undefined;

function load(): { contract: Contract; ajv: Ajv2020 } {
  if (known !== undefined) return known;
  const file = new URL('../../docs/openapi.json', import.meta.url);
  const contract = closed(JSON.parse(readFileSync(file, 'utf8'))) as Contract;
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': isTime, email: true } });
  ajv.addSchema({ $id: 'contract', components: contract.components });
  known = { contract, ajv };
  return known;
}

/** Closes every object that has fields, so that a response with an unknown field is found. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, closed(each)]);
  const result = Object.fromEntries(entries) as Record<string, unknown>;
  if (result['type'] === 'object' && 'properties' in result) {
    result['additionalProperties'] ??= false;
  }
  if (typeof result['$ref'] === 'string') result['$ref'] = result['$ref'].replace('#', 'contract#');
  return result;
}

/** Throws if the contract does not allow the response. A path without a route is not in the contract. */
export function checkAnswer(answer: CheckedAnswer): void {
  const faults = answerFaults(answer);
  if (faults.length === 0) return;
  const { method, path, status, text } = answer;
  const shown = `${method} ${path}: ${status} ${text.slice(0, 2_000)}`;
  throw new Error(`the contract does not allow this answer\n${shown}\n${faults.join('\n')}`);
}

function answerFaults({ method, path, status, headers, text }: CheckedAnswer): string[] {
  const call = findCall(method, path);
  if (call === null) return [];
  const declared = call.responses[status];
  if (declared === undefined) return [`${call.operationId} has no answer ${status}`];
  const { content = {}, headers: named = {} } = resolve(declared);
  const missing = Object.keys(named).filter((name) => !sometimes.has(name) && !headers.has(name));
  const faults = missing.map((name) => `the header ${name} is missing`);
  if (method === 'HEAD') return faults;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const types = Object.keys(content);
  if (types.length === 0) return text === '' ? faults : [...faults, 'it has a body'];
  const described = content[type];
  if (described === undefined) return [...faults, `its type is ${type}, not ${types.join(' or ')}`];
  return type.includes('json') ? [...faults, ...bodyFaults(described.schema, text)] : faults;
}

function bodyFaults(schema: SchemaObject, text: string): string[] {
  const validate = validators.get(schema) ?? load().ajv.compile(schema);
  validators.set(schema, validate);
  validate(JSON.parse(text));
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function resolve(answer: Answered | { $ref: string }): Answered {
  if (!('$ref' in answer)) return answer;
  const name = answer.$ref.split('/').at(-1) ?? '';
  return load().contract.components.responses[name] ?? {};
}

/** Finds the call of a path, preferring fewer parameters. Null for an unknown path or method. */
function findCall(method: string, path: string): Call | null {
  const [plain = ''] = path.split('?');
  const [nearest] = Object.entries(load().contract.paths)
    .filter(([template]) => patternOf(template).test(plain))
    .toSorted(([a], [b]) => a.split('{').length - b.split('{').length);
  return nearest?.[1][method === 'HEAD' ? 'get' : method.toLowerCase()] ?? null;
}

const patterns = new Map<string, RegExp>();

function patternOf(template: string): RegExp {
  const known = patterns.get(template);
  if (known !== undefined) return known;
  const source = template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  const pattern = new RegExp(`^${source}$`);
  patterns.set(template, pattern);
  return pattern;
}
