// A client of the API under test: builds paths and headers, and returns status, headers and parsed body.
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import { checkAnswer } from './openapi.ts';

export interface CallOptions {
  body?: unknown;
  /** Replaces the header with the key. Empty for a call without a key. */
  headers?: Record<string, string>;
}

// Responses have many shapes. A precise type of each would repeat the assertions.
export type JsonBody = Record<string, never> & { [field: string]: JsonBody };

export interface Answer {
  status: number;
  headers: Headers;
  body: JsonBody;
  text: string;
}

export interface ApiClient {
  /** Calls a path of the application, such as `/agents`. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Calls a path of the server, such as `/healthz`. */
  raw(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** Creates a client of one application at `apiUrl`. */
export function createApiClient(apiUrl: string, app: NewApp): ApiClient {
  async function raw(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const json = options.body !== undefined;
    const text = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
    const response = await fetch(apiUrl + path, {
      method,
      // The target may be at an address that only browsers know.
      redirect: 'manual',
      headers: {
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...(options.headers ?? { 'x-api-key': app.apiKey }),
      },
      ...(json ? { body: text } : {}),
    });
    const received = await response.text();
    checkAnswer({
      method,
      path,
      status: response.status,
      headers: response.headers,
      text: received,
    });
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(received) as JsonBody) : {},
      text: received,
    };
  }
  return {
    raw,
    call: (method, path, options) => raw(method, `/api/v1/appuid/${app.appUid}${path}`, options),
  };
}
