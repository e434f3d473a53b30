import { Agent, request } from 'undici';
import { errorCode } from '../../lib/platform/error-code.ts';
import type { BenchApp } from './app.ts';
import type { ChangePath } from './settings.ts';

/** Makes call number `n`. Resolves to null if it was acknowledged, or else to the reason. */
export type Call = (n: number) => Promise<string | null>;

interface Message {
  method: 'POST' | 'PATCH';
  path: string;
  body: object;
}

export interface Caller extends AsyncDisposable {
  /** Returns a change with the number of the call in its payload, which the receiver reports. */
  changing(app: BenchApp, path: ChangePath): Call;
  /** Returns a sign-in of one of `users` users in turn. */
  signingIn(app: BenchApp, users: number): Call;
}

const connectionsMax = 256;
const callTimeoutMs = 30_000;

/** Opens connections to the API. */
export function openCaller(apiUrl: string): Caller {
  const dispatcher = new Agent({
    connections: connectionsMax,
    pipelining: 1,
    headersTimeout: callTimeoutMs,
    bodyTimeout: callTimeoutMs,
  });
  const calling =
    (app: BenchApp, messageOf: (n: number) => Message): Call =>
    async (n) => {
      const { method, path, body } = messageOf(n);
      try {
        const answer = await request(`${apiUrl}/api/v1/appuid/${app.appUid}${path}`, {
          dispatcher,
          method,
          headers: { 'x-api-key': app.apiKey, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        await answer.body.dump();
        return answer.statusCode < 300 ? null : `status ${answer.statusCode}`;
      } catch (error) {
        return String(errorCode(error) ?? error);
      }
    };
  return {
    changing: (app, path) => calling(app, (n) => changeOf(app, path, n)),
    signingIn: (app, users) =>
      calling(app, (n) => ({
        method: 'POST',
        path: '/sdkusers/auth',
        body: { externalId: `user-${n % users}`, accountUids: [app.accountUid] },
      })),
    [Symbol.asyncDispose]: () => dispatcher.destroy(),
  };
}

function changeOf(app: BenchApp, path: ChangePath, n: number): Message {
  const { _id: uid, externalTenantId, agentName, live } = app.agentOf(n);
  const description = `bench-${n}`;
  if (path === 'agents') return { method: 'PATCH', path: `/agents/${uid}`, body: { description } };
  const data = { uid, externalTenantId, agentName, live, description };
  return { method: 'POST', path: '/changes', body: { event: 'agent.updated', data } };
}
