// A service or a receiver for all tests of a file: started before them, and stopped after them.
import { type Answering, type Receiver, startReceiver } from './receivers.ts';
import { type ServiceOptions, startService, type TestService } from './service.ts';

/** Returns a service that is started before the first test of the file. */
export function useService(options: ServiceOptions = {}): TestService {
  return useStarted(() => startService(options));
}

/** Returns a receiver that is started before the first test of the file. */
export function useReceiver(answer: Answering): Receiver {
  return useStarted(() => startReceiver(answer));
}

/** Returns an object that has the properties of the started one from the first test on. */
export function useStarted<T extends AsyncDisposable>(start: () => Promise<T>): T {
  const started = {} as T;
  beforeAll(async () => {
    Object.assign(started, await start());
  });
  afterAll(async () => {
    await started[Symbol.asyncDispose]?.();
  });
  return started;
}
