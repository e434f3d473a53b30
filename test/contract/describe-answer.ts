// The parts of an answer that are the contract: status, problem code, some headers, and the shape of the body.
import { type Shape, shapeOf } from './shape.ts';

export interface DescribedAnswer {
  status: number;
  /** The code of a problem, and its faults. */
  problem?: string;
  faults?: string[];
  /** The headers except the usual ones: the type of JSON and of problems, and `no-store`. */
  headers?: Record<string, string | string[]>;
  body?: Shape;
}

/** An unchanged answer. */
export interface PlainAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const problemFields = ['type', 'title', 'status', 'detail', 'code', 'requestId'];

/** Describes an answer. Throws for a problem without the fields that every problem has. */
export function describeAnswer({ status, headers, text }: PlainAnswer): DescribedAnswer {
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const described = describeHeaders(headers);
  const shown = Object.keys(described).length === 0 ? {} : { headers: described };
  if (type === 'application/problem+json') {
    return { status, ...describeProblem(JSON.parse(text)), ...shown };
  }
  if (type === 'application/json' && text !== '') {
    return { status, ...shown, body: shapeOf(JSON.parse(text)) };
  }
  return { status, ...shown };
}

interface Problem {
  code: string;
  requestId: string;
  errors?: { pointer: string; code: string }[];
}

function describeProblem(problem: Problem): Pick<DescribedAnswer, 'problem' | 'faults'> {
  const missing = problemFields.filter((field) => !(field in problem));
  if (missing.length > 0) throw new Error(`a problem without ${missing.join(', ')}`);
  const { code, errors } = problem;
  if (errors === undefined) return { problem: code };
  return { problem: code, faults: errors.map((error) => `${error.pointer} ${error.code}`) };
}

const usual: Record<string, string[]> = {
  'cache-control': ['no-store'],
  'content-type': ['application/json', 'application/json; charset=utf-8'],
};
const usualProblem = 'application/problem+json';

/** Headers whose value is the contract, and headers that must only be present. */
const valued = ['allow', 'cache-control', 'content-type', 'link', 'location', 'www-authenticate'];
const present = ['etag', 'retry-after'];

function describeHeaders(headers: Headers): Record<string, string | string[]> {
  const described: Record<string, string | string[]> = {};
  for (const name of valued) {
    const value = headers.get(name);
    if (value === null || usual[name]?.includes(value) || value.startsWith(usualProblem)) continue;
    described[name] = mask(value);
  }
  for (const name of present) if (headers.has(name)) described[name] = 'present';
  // The limit that the answer is about.
  const limit = /^"(.+)";/.exec(headers.get('ratelimit-policy') ?? '')?.[1];
  if (limit !== undefined && headers.has('ratelimit')) described['ratelimit'] = limit;
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) described['set-cookie'] = cookies.map(maskCookie);
  return described;
}

/** Masks the changing parts of a text: uids, ports and the values of a query. */
export function mask(text: string): string {
  return text
    .replaceAll(/\b[a-z]{3}_[0-9a-z]{26}\b/g, '{uid}')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:{port}')
    .replaceAll(/([?&]\w+)=[^&]*/g, '$1=…');
}

function maskCookie(cookie: string): string {
  return cookie.replace(/^([^=]+)=[^;]+/, '$1=…').replace(/; expires=[^;]+/i, '; Expires=…');
}
