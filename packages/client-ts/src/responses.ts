// Turns a response into the result of the call, or into an error.
import {
  type FieldError,
  HeraldProblem,
  type HeraldError,
  UnexpectedResponseError,
} from './errors.ts';
import { type ProblemCode, problemClasses } from './generated/problems.ts';
import { readRetryAfter } from './retries.ts';

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly requestId?: unknown;
  readonly errors?: unknown;
}

export interface ExpectedResult {
  readonly kind: 'none' | 'object' | 'list' | 'stream';
  /** The cursor that was sent. */
  readonly cursor: unknown;
}

/** Returns the result of a successful response. Throws `UnexpectedResponseError` if the service did not send it. */
export async function readResult(
  response: Response,
  requestId: string,
  expected: ExpectedResult,
): Promise<unknown> {
  const text = await response.text();
  if (response.status === 204 && expected.kind === 'none') return undefined;
  const result = isType(response, 'application/json') ? parseJson(text) : undefined;
  if (result === undefined || !hasForm(result, expected))
    throw unexpectedResponse(response, requestId);
  return result;
}

function hasForm(result: unknown, { kind, cursor }: ExpectedResult): boolean {
  if (kind === 'none') return true;
  if (Array.isArray(result)) return kind === 'list';
  if (typeof result !== 'object' || result === null) return false;
  if (kind !== 'list') return true;
  const { data, nextCursor = null } = result as { data?: unknown; nextCursor?: unknown };
  // A list whose cursor does not advance would never end.
  const isNext = typeof nextCursor === 'string' && nextCursor !== '' && nextCursor !== cursor;
  return Array.isArray(data) && (nextCursor === null || isNext);
}

/** Returns the error that a response describes. */
export async function readError(response: Response, requestId: string): Promise<HeraldError> {
  const text = await response.text();
  const problem = isType(response, 'application/problem+json') ? parseProblem(text) : null;
  if (problem === null) return unexpectedResponse(response, requestId);
  const Problem = classOf(problem.code);
  return new Problem({
    code: problem.code,
    detail: problem.detail,
    status: response.status,
    requestId: typeof problem.requestId === 'string' ? problem.requestId : requestId,
    errors: fieldErrorsOf(problem),
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), Date.now()),
  });
}

function classOf(code: string): typeof HeraldProblem {
  return Object.hasOwn(problemClasses, code) ? problemClasses[code as ProblemCode] : HeraldProblem;
}

export function isType(response: Response, type: string): boolean {
  return response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === type;
}

function parseProblem(text: string): Problem | null {
  const problem = parseJson(text) as Partial<Problem> | null | undefined;
  const { code, detail } = problem ?? {};
  return typeof code === 'string' && typeof detail === 'string' ? (problem as Problem) : null;
}

function fieldErrorsOf({ errors }: Problem): FieldError[] {
  const isText = (value: unknown) => typeof value === 'string';
  return (Array.isArray(errors) ? (errors as (FieldError | null)[]) : []).filter(
    (one): one is FieldError => isText(one?.pointer) && isText(one?.code) && isText(one?.detail),
  );
}

/** Returns undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function unexpectedResponse(response: Response, requestId: string): UnexpectedResponseError {
  const type = response.headers.get('content-type') ?? 'no content type';
  return new UnexpectedResponseError({
    code: 'unexpected_response',
    detail: `${response.status} with ${type} is not a response from agent-herald; is the address right?`,
    status: response.status,
    requestId,
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), Date.now()),
  });
}
