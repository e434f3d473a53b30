// The responses of a call in the document: its own, and a problem for each error status.
import type { ErrorCode } from '../../lib/platform/errors.ts';
import type { OperationAnswer } from '../http/operation.ts';
import { problemType, statusOfCode, titleOfCode } from '../http/problems.ts';
import { listOf, named, objectOf, oneOfTexts, text } from '../http/schemas.ts';
import type { Route } from '../route.ts';
import { type Components, type Json, nameOf } from './components.ts';
import { linksOf } from './links.ts';
import { problemsOf } from './problems.ts';
import { headerTexts } from './texts.ts';

const fieldErrorSchema = named('FieldError', {
  ...objectOf<{ pointer: string; code: string; detail: string }>({
    pointer: { ...text, description: 'A JSON pointer into the body, or the name of a parameter.' },
    code: text,
    detail: text,
  }),
});

export function answersOf(line: Route, components: Components, routes: readonly Route[]): Json {
  const { answers } = line.handler.operation;
  const codes = problemsOf(line);
  const statuses = new Set([...Object.keys(answers).map(Number), ...codes.map(statusOfCode)]);
  const entries = [...statuses].map((status) => {
    const ofStatus = codes.filter((code) => statusOfCode(code) === status);
    const answer = answers[status];
    if (answer === undefined) return [status, presentProblems(components, ofStatus)];
    return [status, presentAnswer(line, components, { status, answer, codes: ofStatus, routes })];
  });
  return Object.fromEntries(entries) as Json;
}

interface OwnAnswer {
  status: number;
  answer: OperationAnswer;
  codes: readonly ErrorCode[];
  routes: readonly Route[];
}

function presentAnswer(
  line: Route,
  components: Components,
  { status, answer, codes, routes }: OwnAnswer,
): Json {
  const { description, schema, contentType = 'application/json', headers = [] } = answer;
  const names = [
    'x-request-id',
    ...(['key', 'admin'].includes(line.access.kind) ? ['ratelimit', 'ratelimit-policy'] : []),
    ...(status === 201 ? ['location'] : []),
    ...headers,
  ];
  const content = {
    ...(schema && { [contentType]: { schema: components.schema(schema) } }),
    ...(codes.length > 0 && { [problemType]: { schema: problemSchema(components, codes) } }),
  };
  const hasContent = Object.keys(content).length > 0;
  return {
    description,
    headers: headersOf(components, names),
    ...(hasContent ? { content } : {}),
    ...(names.includes('location') ? linksOf(line, answer, routes) : {}),
  };
}

function headersOf(components: Components, names: readonly string[]): Json {
  const entries = [...new Set(names)].map((name) => {
    const { description, schema = { type: 'string' } } = headerTexts[name] as {
      description: string;
      schema?: Json;
    };
    return [name, components.header(nameOf(name), { description, schema })];
  });
  return Object.fromEntries(entries) as Json;
}

function problemSchema(components: Components, codes: readonly ErrorCode[]): Json {
  return components.schema({
    type: 'object',
    properties: {
      type: { ...text, description: 'The text `urn:agent-herald:problem:` and the code.' },
      title: text,
      status: { const: statusOfCode(codes[0] as ErrorCode) },
      detail: text,
      code: oneOfTexts(codes),
      requestId: text,
      errors: listOf(fieldErrorSchema),
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  });
}

function presentProblems(components: Components, codes: readonly ErrorCode[]): Json {
  const sorted = codes.toSorted();
  const names = ['x-request-id', ...sorted.flatMap(headersOfProblem)];
  const lines = sorted.map((code) => `- \`${code}\`: ${titleOfCode(code)}.`);
  return components.response(sorted.map(nameOf).join('Or'), {
    description: lines.join('\n'),
    headers: headersOf(components, names),
    content: { [problemType]: { schema: problemSchema(components, sorted) } },
  });
}

function headersOfProblem(code: ErrorCode): string[] {
  if (statusOfCode(code) === 401) return ['www-authenticate'];
  const waits = ['rate_limited', 'too_many_sign_ins', 'overloaded', 'unavailable'].includes(code);
  return waits ? ['retry-after'] : [];
}
