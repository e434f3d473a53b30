// A page of another origin can read what needs no key, and nothing else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleService, openConsole, startConsoleService } from '../support/console.ts';
import { startReceiver } from '../support/receivers.ts';

let service: ConsoleService;
beforeAll(async () => {
  service = await startConsoleService({ worker: false });
});
afterAll(async () => service[Symbol.asyncDispose]());

it('a page of another origin can read the public documents with their headers, but no call with a key', async () => {
  await using opened = await openConsole(service, '/me');
  await using site = await startReceiver((response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>another site</title>');
  });
  const page = await opened.context.newPage();
  await page.goto(site.url);
  const read = (path: string, headers: Record<string, string> = {}): Promise<unknown> =>
    page.evaluate(
      async ([url = '', sent = '']) => {
        try {
          const answer = await fetch(url, { headers: JSON.parse(sent) as Record<string, string> });
          return [answer.status, answer.headers.get('x-request-id') !== null];
        } catch (error) {
          return (error as Error).name;
        }
      },
      [new URL(path, service.consoleUrl).href, JSON.stringify(headers)],
    );
  for (const path of [
    '/.well-known/jwks.json',
    '/.well-known/openid-configuration',
    '/.well-known/webhook-sources.json',
    '/healthz',
    '/readyz',
    '/openapi.json',
  ]) {
    expect([path, await read(path)]).toEqual([path, [200, true]]);
  }
  // The browser sends a preflight for this header.
  expect(await read('/healthz', { 'x-own': '1' })).toEqual([200, true]);
  const { appUid, apiKey } = service.app;
  const keyed = `/api/v1/appuid/${appUid}/agents`;
  expect(await read(keyed)).toBe('TypeError');
  expect(await read(keyed, { 'x-api-key': apiKey })).toBe('TypeError');
  expect(await read('/admin/api/sign-in-methods')).toBe('TypeError');
});
