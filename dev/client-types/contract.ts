// The parts of docs/openapi.json that the client needs, typed.
import { readFileSync } from 'node:fs';

export interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema | true>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly then?: Schema;
  readonly else?: Schema;
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
}

export interface Call extends Operation {
  readonly method: string;
  readonly path: string;
}

export interface Contract {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Content>>;
  };
}

export function readContract(): Contract {
  return JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Contract;
}

export function callsOf({ paths }: Contract): Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
    })),
  );
}

/** The prefixes of an application's paths, for API keys and for admins. */
const keyPath = '/api/v1/appuid/{appUid}';
const adminPath = '/admin/api/apps/{appUid}';

/** Returns the API key's call that is the same as a call of the admin area. */
export function twinOf({ method, path }: Call, calls: readonly Call[]): Call | undefined {
  if (!path.startsWith(adminPath)) return undefined;
  const wanted = path.replace(adminPath, keyPath);
  return calls.find((each) => each.method === method && each.path === wanted);
}

export function jsonOf({ content }: Content): Schema | undefined {
  return content?.['application/json']?.schema;
}

/** Returns the schemas of a call's successful responses; none if they have no body. */
export function resultsOf({ responses }: Operation): Schema[] {
  return Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, response]) => jsonOf(response) ?? []);
}

export function isStream({ responses }: Operation): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined;
}

/** Returns the problem codes of the calls, with their descriptions. */
export function problemsOf(
  calls: readonly Call[],
  { components }: Contract,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const refs = calls.flatMap(({ responses }) => Object.values(responses).map(({ $ref }) => $ref));
  for (const ref of new Set(refs)) {
    const name = ref?.split('/').at(-1) ?? '';
    const { description = '' } = (components.responses[name] ?? {}) as { description?: string };
    for (const [, code = '', text = ''] of description.matchAll(/^- `(\w+)`: (.*)$/gm))
      found.set(code, text);
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}
