// The size limits of a request's body, with and without a Content-Length.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { limits } from '../../../lib/limits.ts';
import { makeTestAdmin } from '../../support/admin-client.ts';
import type { JsonBody } from '../../support/api-client.ts';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, type Refusal } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

/** Posts bytes with a Content-Length, or a stream without one. */
async function post(path: string, body: Buffer | ReadableStream): Promise<Refusal> {
  const response = await fetch(`${service.apiUrl}/api/v1/appuid/${service.app.appUid}${path}`, {
    method: 'POST',
    headers: { 'x-api-key': service.app.apiKey, 'content-type': 'application/json' },
    body: body instanceof Buffer ? new Uint8Array(body) : body,
    duplex: 'half',
  });
  const parsed = JSON.parse(await response.text()) as JsonBody;
  return { status: response.status, headers: response.headers, body: parsed };
}

const agent = { agentName: 'Agent', externalTenantId: 'tenant' };

test('a body of one byte over 256 KiB gets 413, with and without a Content-Length', async () => {
  const body = Buffer.from(JSON.stringify(agent).padEnd(limits.requestBytesMax + 1));
  expectProblem(await post('/agents', body), 413, 'payload_too_large');
  const stream = new Blob([new Uint8Array(body)]).stream();
  expectProblem(await post('/agents', stream), 413, 'payload_too_large');
});

test('a body of exactly 256 KiB is read completely', async () => {
  const body = Buffer.from(JSON.stringify(agent).padEnd(limits.requestBytesMax));
  expect((await post('/agents', body)).status).toBe(201);
  const stream = new Blob([new Uint8Array(body)]).stream();
  expect((await post('/agents', stream)).status).toBe(201);
});

test('a body with credentials can be 64 KiB, and not a byte more', async () => {
  const { appUid, apiKey } = service.app;
  const key = { 'x-api-key': apiKey };
  const ada = await makeTestAdmin(service);
  const calls: [string, Record<string, string>][] = [
    [`/api/v1/appuid/${appUid}/sdkusers/auth`, key],
    [`/api/v1/appuid/${appUid}/sdkusers/token/verify`, key],
    ['/admin/api/session', {}],
    ['/admin/api/password', ada.headers],
  ];
  for (const [path, own] of calls) {
    const headers = { ...own, 'content-type': 'application/json' };
    const body = '{}'.padEnd(64 * 1024);
    const read = await service.raw('POST', path, { headers, body });
    expectProblem(read, 400, 'invalid_request');
    const refused = await service.raw('POST', path, { headers, body: `${body} ` });
    expectProblem(refused, 413, 'payload_too_large');
  }
});

test('a body of many megabytes gets 413, each time', async () => {
  const body = Buffer.alloc(16 * 1024 * 1024, 'x');
  for (let round = 0; round < 5; round += 1) {
    expectProblem(await post('/changes', body), 413, 'payload_too_large');
    expectProblem(
      await post('/changes', new Blob([new Uint8Array(body)]).stream()),
      413,
      'payload_too_large',
    );
  }
});
