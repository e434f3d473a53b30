// Changes at a constant rate, reported whether the service takes them or not.
import type { NewApp } from '../../lib/access/create-app-with-key.ts';

interface Target {
  apiUrl: string;
  app: NewApp;
  receiverUrl: string;
}

export interface Calls extends AsyncDisposable {
  /** Counts of answers by status; `none` for calls without one. */
  answers: ReadonlyMap<string, number>;
}

const callTimeoutMs = 30_000;

/** Registers a webhook for all changes of agents, and reports changes until it is disposed of. */
export async function makeCalls(
  { apiUrl, app, receiverUrl }: Target,
  { changesPerSecond }: { changesPerSecond: number },
): Promise<Calls> {
  const call = (path: string, body: object): Promise<Response> =>
    fetch(`${apiUrl}/api/v1/appuid/${app.appUid}${path}`, {
      method: 'POST',
      headers: { 'x-api-key': app.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
  const webhook = { url: receiverUrl, entities: ['agent'], active: true };
  const { ok, status } = await call('/webhooks', webhook);
  if (!ok) throw new Error(`the webhook was not registered: ${status}`);

  const answers = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  let count = 0;
  const report = async (): Promise<void> => {
    const data = { uid: `agt_${count % 10}`, externalTenantId: 'tenant-1', count };
    count += 1;
    const answer = await call('/changes', { event: 'agent.updated', data }).then(
      async (response) => {
        await response.arrayBuffer();
        return String(response.status);
      },
      () => 'none',
    );
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  };
  const timer = setInterval(() => {
    const change = report().finally(() => underWay.delete(change));
    underWay.add(change);
  }, 1_000 / changesPerSecond);
  return {
    answers,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all(underWay);
    },
  };
}
