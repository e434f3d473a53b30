// The stage of the story's chapters: a whole service, its receiver and provider, and the recorder.
import { routes } from '../../api/routes.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { startIdentityProvider, type TestProvider } from '../support/identity-provider.ts';
import { oidcSettings } from '../support/oidc-visit.ts';
import { startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { type Answer, createRecorder, type Recorder } from './recorder.ts';

export interface Stage extends Recorder, AsyncDisposable {
  service: TestService;
  provider: TestProvider;
  receiver: {
    /** Its address; `/500` is answered with 500, `/once-500` only at first, `/later` on request. */
    url: string;
    answerLater: () => void;
  };
}

/** Starts everything that the story needs. */
export async function openStage(): Promise<Stage> {
  const open = new Disposal();
  try {
    const provider = open.use(await startIdentityProvider());
    const service = open.use(await startService({ env: oidcSettings(provider.issuer) }));
    let answerLater = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => (answerLater = resolve));
    let failures = 0;
    const receiver = open.use(
      await startReceiver((response, { path }) => {
        // A connection each, so that every attempt has the same phases.
        response.setHeader('connection', 'close');
        response.setHeader('server', 'contract');
        const answer = (status: number): void => void response.writeHead(status).end('answer');
        if (path === '/later') void isAsked.then(() => answer(200));
        else if (path === '/once-500') answer((failures += 1) === 1 ? 500 : 200);
        else answer(Number(path.slice(1)));
      }),
    );
    return {
      ...createRecorder(service, routes),
      service,
      provider,
      receiver: { url: receiver.url, answerLater },
      [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
    };
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}

/** Checks that the first item of a list is in a state. */
export function isFirst(state: string): (answer: Answer) => boolean {
  return ({ body }) => {
    const [first] = body['data'] as unknown as { state: string }[];
    return first?.state === state;
  };
}

/** Checks that a field of the body has a value. */
export function has(field: string, value: unknown): (answer: Answer) => boolean {
  return ({ body }) => Object.is(body[field], value);
}
