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
  readonly requestId?: string;
  readonly errors?: readonly FieldError[];
}

/** Returns the result of a successful response. Throws `UnexpectedResponseError` if the service did not send it. */
export async function readResult(response: Response, requestId: string): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  return isType(response, 'application/json') ? JSON.parse(text) : refuse(response, requestId);
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
    requestId: problem.requestId ?? requestId,
    errors: problem.errors ?? [],
    retryAfterMs: readRetryAfter(response.headers.get('retry-after'), Date.now()),
  });
}

function classOf(code: string): typeof HeraldProblem {
  return Object.hasOwn(problemClasses, code) ? problemClasses[code as ProblemCode] : HeraldProblem;
}

function isType(response: Response, type: string): boolean {
  return response.headers.get('content-type')?.split(';')[0]?.trim() === type;
}

function parseProblem(text: string): Problem | null {
  try {
    const problem = JSON.parse(text) as Partial<Problem> | null;
    const { code, detail } = problem ?? {};
    return typeof code === 'string' && typeof detail === 'string' ? (problem as Problem) : null;
  } catch {
    return null;
  }
}

function refuse(response: Response, requestId: string): never {
  throw unexpectedResponse(response, requestId);
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
