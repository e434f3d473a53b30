// The shared parts of the document: named schemas, and responses that several calls share.
import type { SchemaObject } from 'ajv';
import { isDeepStrictEqual } from 'node:util';
import { textFormats } from '../http/text-fields.ts';

export type Json = Readonly<Record<string, unknown>>;

/** Collects named parts and returns references to them. */
export class Components {
  readonly schemas: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};
  readonly headers: Record<string, Json> = {};

  /** Replaces each part that has a title by a reference. Throws if two different parts share a title. */
  schema(schema: SchemaObject): Json {
    const { title, ...rest } = schema as Json;
    const published = this.#publish(rest);
    if (typeof title !== 'string') return published;
    const name = nameOf(title);
    return this.#refer('schemas', name, published);
  }

  response(name: string, response: Json): Json {
    return this.#refer('responses', name, response);
  }

  header(name: string, header: Json): Json {
    return this.#refer('headers', name, header);
  }

  #refer(kind: 'schemas' | 'responses' | 'headers', name: string, value: Json): Json {
    const known = this[kind][name];
    if (known !== undefined && !isDeepStrictEqual(known, value)) {
      throw new Error(`two different ${kind} have the name ${name}`);
    }
    this[kind][name] = value;
    return { $ref: `#/components/${kind}/${name}` };
  }

  #publish({ published, ...checked }: Json): Json {
    const schema = { ...checked, ...(published as Json | undefined) };
    const entries = Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === '$schema' || value === undefined) return [];
      if (keyword === 'format') return Object.entries(publishFormat(value as string));
      return [[keyword, this.#publishKeyword(keyword, value)]];
    });
    return Object.fromEntries(entries) as Json;
  }

  #publishKeyword(keyword: string, value: unknown): unknown {
    if (isObject(value)) {
      return keyword === 'properties'
        ? this.#publishEach(value)
        : this.#publishSubschema(keyword, value);
    }
    const isList = ['allOf', 'anyOf', 'oneOf'].includes(keyword) && Array.isArray(value);
    return isList ? value.map((each) => this.schema(each as SchemaObject)) : value;
  }

  #publishEach(schemas: Json): Json {
    const entries = Object.entries(schemas).map(([name, each]) => [
      name,
      isObject(each) ? this.schema(each) : each,
    ]);
    return Object.fromEntries(entries) as Json;
  }

  #publishSubschema(keyword: string, value: Json): Json {
    const holdsSchema = [
      'items',
      'additionalProperties',
      'propertyNames',
      'if',
      'then',
      'else',
      'not',
    ];
    return holdsSchema.includes(keyword) ? this.schema(value) : value;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the name of a component: `agent.created` becomes `AgentCreated`. */
export function nameOf(title: string): string {
  return title
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** Publishes our own formats as patterns, which other tools understand. */
function publishFormat(format: string): Json {
  const own = textFormats[format as keyof typeof textFormats];
  return own === undefined ? { format } : { pattern: own.pattern };
}
