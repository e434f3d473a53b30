// What the contract says of a call; docs/openapi.json is made from it.
import type { SchemaObject } from 'ajv';
import type { ErrorCode } from '../../lib/platform/errors.ts';
import type { ParameterTable } from './query-values.ts';
import { named, listOf, textOrNull } from './schemas.ts';

export interface OperationAnswer {
  description: string;
  schema?: SchemaObject;
  /** `application/json` by default. */
  contentType?: string;
  /** Headers that it always has, beside those of all answers. A 201 has `Location`. */
  headers?: readonly ('location' | 'etag' | 'set-cookie')[];
}

export interface Operation {
  /** Names the method of clients. A route that shares its handler with another has an id of its own. */
  id: string;
  /** An imperative and its object: "Create a webhook". At most 60 characters. */
  summary: string;
  description?: string;
  /** By status, without problems. */
  answers: Readonly<Record<number, OperationAnswer>>;
  /** The problems of this call, beside those of every call with its access and body. */
  problems?: readonly ErrorCode[];
  example?: Readonly<Record<string, unknown>>;
  takesIdempotencyKey?: boolean;
  takesLastEventId?: boolean;
}

/** Returns the answer of a list of named items. */
export function pageOf(item: SchemaObject, description = 'A page of the list'): OperationAnswer {
  const schema = {
    type: 'object',
    properties: { data: listOf(item), nextCursor: textOrNull },
    required: ['data', 'nextCursor'],
  };
  return { description, schema: named(`${String(item['title'])}Page`, schema) };
}

interface Handle<Request, Context, Answer> {
  (request: Request, context: Context): Promise<Answer>;
  readonly parameters?: ParameterTable;
}

/** Adds to a handler what the contract says of it, and the query parameters that it takes. */
export function operation<Request, Context, Answer>(
  facts: Operation,
  handle: Handle<Request, Context, Answer>,
  parameters: ParameterTable | undefined = handle.parameters,
): Handle<Request, Context, Answer> & { readonly operation: Operation } {
  return Object.assign(handle, { operation: facts }, parameters && { parameters });
}
