import { Agent, request } from 'undici';
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import type { Answer, ApiClient, JsonBody } from '../support/api-client.ts';

/** A client of one application like in other tests, but its responses are untyped. */
export interface LightClient {
  call(...call: Parameters<ApiClient['call']>): Promise<Pick<Answer, 'status' | 'body' | 'text'>>;
}

// More than are ever in flight, so that no call waits here.
const connections = 4_000;

/** Creates a client that leaves the machine to the service: it does not check responses against the contract. */
export function createLightClient(
  apiUrl: string,
  { appUid, apiKey }: NewApp,
): LightClient & AsyncDisposable {
  const dispatcher = new Agent({ connections, bodyTimeout: 0, headersTimeout: 0 });
  return {
    async call(method, path, { body, headers = { 'x-api-key': apiKey } } = {}) {
      const answer = await request(`${apiUrl}/api/v1/appuid/${appUid}${path}`, {
        dispatcher,
        method,
        headers: { 'content-type': 'application/json', ...headers },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await answer.body.text();
      return { status: answer.statusCode, body: JSON.parse(text) as JsonBody, text };
    },
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}
