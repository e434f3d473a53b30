// The calls of the story, each made over HTTP and recorded.
import type { Route } from '../../api/route.ts';
import type { JsonBody } from '../support/api-client.ts';
import { checkAnswer } from '../support/openapi.ts';
import { waitFor } from '../support/wait-for.ts';
import { describeAnswer, type DescribedAnswer, mask, type PlainAnswer } from './describe-answer.ts';

export interface RecordedCall extends DescribedAnswer {
  what: string;
  /** The route, such as `GET …/agents/{agentUid}`. */
  call: string;
}

export interface CallOptions {
  /** Sent as JSON; a text unchanged. */
  body?: unknown;
  /** Added to the application's key, which `x-api-key: null` removes. */
  headers?: Record<string, string | null>;
  /** Repeats the call until its answer is like this; only the last one is recorded. */
  until?: (answer: Answer) => boolean;
}

export interface Answer extends PlainAnswer {
  body: JsonBody;
}

export interface Recorder {
  readonly calls: RecordedCall[];
  /** Makes a call such as `GET …/agents` (`…` is the application's path) and records it. */
  readonly call: (what: string, request: string, options?: CallOptions) => Promise<Answer>;
  /** Makes a call that only prepares another. Throws when it is refused. */
  readonly prepare: (request: string, options?: CallOptions) => Promise<JsonBody>;
  /** Makes a call and returns its description, for a record of another kind. */
  readonly describe: (request: string, options?: CallOptions) => Promise<RecordedCall>;
}

/** The service that is called, with the application and the key by default. */
export interface Callee {
  apiUrl: string;
  app: { appUid: string; apiKey: string };
}

/** Makes a recorder; calls are named by `routes`. */
export function createRecorder({ apiUrl, app }: Callee, routes: readonly Route[]): Recorder {
  const calls: RecordedCall[] = [];

  async function once(request: string, options: CallOptions): Promise<Answer> {
    const { method, path } = split(request, app.appUid);
    const { body } = options;
    const headers = new Headers(body === undefined ? {} : { 'content-type': 'application/json' });
    const key = request.includes(' …') ? app.apiKey : null;
    for (const [name, value] of Object.entries({ 'x-api-key': key, ...options.headers })) {
      if (value !== null) headers.set(name, value);
    }
    const response = await fetch(apiUrl + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    checkAnswer({ method, path, status: response.status, headers: response.headers, text });
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    const { status, headers: got } = response;
    return { status, headers: got, text, body: isJson ? (JSON.parse(text) as JsonBody) : {} };
  }

  /** Sends a call again while a busy machine refuses it. */
  function send(request: string, options: CallOptions): Promise<Answer> {
    const { until = ({ body }) => String(body['code']) !== 'overloaded' } = options;
    let latest: Answer | undefined;
    const check = async (): Promise<Answer | false> => {
      latest = await once(request, options);
      return until(latest) && latest;
    };
    return waitFor(check, { what: request, state: () => latest?.text });
  }

  function describe(what: string, request: string, answer: Answer): RecordedCall {
    const { method, path } = split(request, app.appUid);
    return { what, call: nameCall(routes, method, path), ...describeAnswer(answer) };
  }

  return {
    calls,
    async call(what, request, options = {}) {
      const answer = await send(request, options);
      calls.push(describe(what, request, answer));
      return answer;
    },
    async prepare(request, options = {}) {
      const { status, text, body } = await send(request, options);
      if (status >= 400) throw new Error(`${request}: ${status} ${text}`);
      return body;
    },
    describe: async (request, options = {}) => describe('', request, await send(request, options)),
  };
}

function split(request: string, appUid: string): { method: string; path: string } {
  const [method = '', path = ''] = request.split(' ');
  return { method, path: path.replace('…', `/api/v1/appuid/${appUid}`) };
}

/** Returns the name of the route that a call belongs to, or its path if there is none. */
function nameCall(routes: readonly Route[], method: string, path: string): string {
  const [plain = ''] = path.split('?');
  const [nearest] = routes
    .filter((route) => patternOf(route).test(plain))
    .toSorted((a, b) => parametersOf(a) - parametersOf(b));
  const asked = method === 'HEAD' ? 'get' : method.toLowerCase();
  const isTaken = routes.some((each) => each.path === nearest?.path && each.method === asked);
  const isNamed = nearest !== undefined && isTaken;
  return `${method} ${isNamed ? namePath(nearest) : shorten(mask(plain))}`;
}

/** Returns the name of a route in the record, such as `GET …/agents/{agentUid}`. */
export function nameRoute(route: Pick<Route, 'method' | 'path'>): string {
  return `${route.method.toUpperCase()} ${namePath(route)}`;
}

function namePath({ path }: Pick<Route, 'path'>): string {
  return shorten(path.replaceAll(/:(\w+)/g, '{$1}'));
}

function shorten(path: string): string {
  return path.replace(/^\/api\/v1\/appuid\/\{\w+\}/, '…');
}

function patternOf({ path }: Route): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`);
}

function parametersOf({ path }: Route): number {
  return path.split(':').length;
}
