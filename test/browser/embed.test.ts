// The token source in a real browser, with tokens of the real service.
import { build } from 'esbuild';
import { openConsole, useConsoleService } from '../support/console.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';

/** The site of the integrator: a page, the package, and the route that gets a token. */
let site: Receiver;
let bundle = '';

const service = useConsoleService({ worker: false });

beforeAll(async () => {
  const entryPoints = ['packages/embed/src/index.ts'];
  const options = { bundle: true, minify: true, format: 'esm', write: false } as const;
  const { outputFiles } = await build({ entryPoints, ...options });
  bundle = outputFiles[0]?.text ?? '';
  site = await startReceiver((response, { path }) => {
    if (path === '/embed.js') {
      response.setHeader('content-type', 'text/javascript').end(bundle);
    } else if (path === '/agent-token') {
      const body = { externalId: 'visitor-1' };
      void service
        .call('POST', '/sdkusers/auth', { body })
        .then(({ text }) => response.setHeader('content-type', 'application/json').end(text));
    } else response.setHeader('content-type', 'text/html').end(page);
  });
});

afterAll(async () => {
  await site?.[Symbol.asyncDispose]();
});

const page = `<!doctype html><title>Site</title><script type="module">
  import { createTokenSource } from '/embed.js';
  window.tokens = createTokenSource({
    fetchToken: ({ signal }) => fetch('/agent-token', { method: 'POST', signal }),
  });
</script>`;

const callsOfSite = () => site.requests.filter(({ path }) => path === '/agent-token').length;

test('a page has one token for all callers, gets a new one after a revocation, and stores none', async () => {
  const { superuser } = service;
  const address = { consoleUrl: site.url, superuser };
  await using opened = await openConsole(address, '/', { admin: null });
  await opened.page.waitForFunction('window.tokens !== undefined');
  const asked = 'Promise.all([1, 2, 3].map(() => window.tokens.getToken()))';
  const [first = '', ...others] = await opened.page.evaluate<string[]>(asked);
  expect(others).toEqual([first, first]);
  expect(callsOfSite()).toBe(1);
  const verify = async (authToken: string) =>
    (await service.call('POST', '/sdkusers/token/verify', { body: { authToken } })).body;
  expect(await verify(first)).toMatchObject({ active: true });
  await service.call('POST', '/sdkusers/tokens/revoke');
  const told = await opened.page.evaluate(`window.tokens.report(${JSON.stringify(first)})`);
  expect(told).toBe('revoked');
  const next = await opened.page.evaluate<string>('window.tokens.getToken()');
  expect(await verify(next)).toMatchObject({ active: true });
  const stored = await opened.page.evaluate(
    'indexedDB.databases().then((found) => [localStorage.length, sessionStorage.length, found.length, document.cookie])',
  );
  expect(stored).toEqual([0, 0, 0, '']);
  expect(opened.complaints).toEqual([]);
});
