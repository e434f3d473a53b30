// An externalTenantId has the same maximum length in every call.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService({ worker: false });
});

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

const hook = { url: 'http://127.0.0.1:9/', entities: ['agent'] };
const change = (externalTenantId: string) => ({
  event: 'agent.updated',
  data: { uid: 'agent-1', externalTenantId },
});

test.each<[string, string, (tenant: string) => unknown]>([
  ['/agents', '#/externalTenantId', (externalTenantId) => ({ agentName: 'A', externalTenantId })],
  [
    '/contexts',
    '#/externalTenantId',
    (externalTenantId) => ({ contextName: 'C', externalTenantId }),
  ],
  ['/changes', '#/data/externalTenantId', change],
  ['/webhooks', '#/externalTenantIds/0', (tenant) => ({ ...hook, externalTenantIds: [tenant] })],
  ['/erasures', '#/externalTenantId', (externalTenantId) => ({ externalTenantId })],
])(
  'POST %s accepts a tenant of 200 characters and refuses one of 201',
  async (path, pointer, bodyOf) => {
    const taken = await service.call('POST', path, { body: bodyOf('😀'.repeat(200)) });
    expect(taken.status).toBeLessThan(300);
    const refused = await service.call('POST', path, { body: bodyOf('😀'.repeat(201)) });
    expectProblem(refused, 400, 'invalid_request');
    expect(faultsOf(refused)).toEqual([`${pointer} maxLength`]);
  },
);
