// The facts about a call in the contract. docs/openapi.json is generated from them.
import type { SchemaObject } from 'ajv';
import type { ErrorCode } from '../../lib/platform/errors.ts';
import type { ParameterTable } from './query-values.ts';
import { named, listOf, textOrNull } from './schemas.ts';

export interface OperationAnswer {
  description: string;
  schema?: SchemaObject;
  /** `application/json` by default. */
  contentType?: string;
  /** Headers that the response always has, in addition to those of all responses. A 201 has `Location`. */
  headers?: readonly ('location' | 'etag' | 'set-cookie')[];
}

export interface Operation {
  /** The method name in clients. A route that shares its handler with another one sets its own. */
  id: string;
  /** An imperative with its object: "Create a webhook". At most 60 characters. */
  summary: string;
  description?: string;
  /** The responses by status, without problems. */
  answers: Readonly<Record<number, OperationAnswer>>;
  /** The problems of this call, in addition to those of all calls with the same access and body. */
  problems?: readonly ErrorCode[];
  example?: Readonly<Record<string, unknown>>;
  takesIdempotencyKey?: boolean;
  takesLastEventId?: boolean;
}

/** Returns the response of a list of named items. */
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

/** Adds the contract's facts and the query parameters to a handler. */
export function operation<Request, Context, Answer>(
  facts: Operation,
  handle: Handle<Request, Context, Answer>,
  parameters: ParameterTable | undefined = handle.parameters,
): Handle<Request, Context, Answer> & { readonly operation: Operation } {
  return Object.assign(handle, { operation: facts }, parameters && { parameters });
}
