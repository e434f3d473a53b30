// The methods of both clients, those of the admin client, and the names that requests give.
import { readFile } from 'node:fs/promises';
import { callsOf, readContract, twinOf } from '../../../../dev/client-types/contract.ts';
import { generatedFiles } from '../../../../dev/client-types/generated-files.ts';
import { withoutMethod } from '../../../../dev/client-types/method-names.ts';
import {
  adminAppCalls,
  adminCalls,
} from '../../../../packages/client-ts/src/generated/admin-calls.ts';
import { calls } from '../../../../packages/client-ts/src/generated/calls.ts';
import { HeraldAdminClient, HeraldClient } from '../../../../packages/client-ts/src/index.ts';
import { type Reply, startScript, streamOf } from './script-server.ts';

async function scripted(replies: readonly Reply[], { prefix = '', token = 'csrf' } = {}) {
  const server = await startScript(...replies);
  const csrfToken = () => (token === '' ? null : token);
  const client = new HeraldAdminClient({ url: server.url + prefix, csrfToken });
  return { ...server, client };
}

const page: Reply = { body: { data: [], nextCursor: null } };

test('a change sends the CSRF token, and no key', async () => {
  await using server = await scripted([{ status: 201, body: { uid: 'whk_1' } }]);
  const body = { url: 'https://a.example', entities: ['agent' as const] };
  await server.client.app('app/1').webhooks.create(body);
  const [request] = server.received;
  expect(request).toMatchObject({
    method: 'POST',
    url: '/admin/api/apps/app%2F1/webhooks',
    headers: {
      'x-csrf-token': 'csrf',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    },
    body: JSON.stringify(body),
  });
  expect(request?.headers).not.toHaveProperty('authorization');
});

test('a read sends no CSRF token, and before the sign-in nor does a change', async () => {
  await using server = await scripted([page]);
  await server.client.apps.list().page();
  expect(server.received[0]?.headers).not.toHaveProperty('x-csrf-token');
  await using before = await scripted([{ body: { csrfToken: 'new' } }], { token: '' });
  const email = 'ada@example.com';
  expect(await before.client.session.signIn({ email, password: 'p' })).toEqual({
    csrfToken: 'new',
  });
  expect(before.received[0]?.headers).not.toHaveProperty('x-csrf-token');
});

test('the service can be below a path', async () => {
  await using server = await scripted([page, { body: { uid: 'app_1' } }], { prefix: '/herald/' });
  await server.client.app('app_1').events.list({ entity: 'agent' }).page();
  await server.client.apps.change('app_1', { name: 'New' });
  expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /herald/admin/api/apps/app_1/events?entity=agent',
    'PATCH /herald/admin/api/apps/app_1',
  ]);
});

test('an admin client without a function for its token is rejected', () => {
  for (const csrfToken of ['token', undefined]) {
    const options = { url: 'http://127.0.0.1:1', csrfToken: csrfToken as unknown as () => null };
    const message = 'csrfToken must be a function';
    expect(() => new HeraldAdminClient(options)).toThrow(new TypeError(message));
  }
});

const contract = readContract();

test('every call of the contract has one method, except for documents', () => {
  const called = [calls, adminAppCalls, adminCalls].flatMap((table) =>
    Object.values<Record<string, { id: string }>>(table).flatMap((methods) =>
      Object.values(methods).map(({ id }) => id),
    ),
  );
  const all = callsOf(contract);
  const wanted = all
    .filter((call) => twinOf(call, all) === undefined)
    .map(({ operationId }) => operationId);
  expect(called).toHaveLength(new Set(called).size);
  expect(new Set(called)).toEqual(new Set(wanted.filter((id) => !withoutMethod.has(id))));
});

test('a call without a name is rejected', () => {
  const { paths } = contract;
  const more = { get: { ...paths['/healthz']?.['get'], operationId: 'getMore' } };
  const grown = { ...contract, paths: { ...paths, '/more': more } } as typeof contract;
  expect(() => generatedFiles(grown)).toThrow('no method has getMore');
});

test('a call of an application that admins also have differs only in its path', () => {
  const all = callsOf(contract);
  const client = new HeraldAdminClient({ url: 'http://127.0.0.1', csrfToken: () => null });
  const groups = { ...calls, ...adminAppCalls };
  const ids = all.filter((call) => twinOf(call, all)).map((call) => twinOf(call, all)?.operationId);
  const methods = Object.entries<Record<string, { id: string }>>(groups).flatMap(([group, table]) =>
    Object.entries(table)
      .filter(([, { id }]) => ids.includes(id) || id.startsWith('admin'))
      .map(([name]) => `${group}.${name}`),
  );
  const made = Object.entries(client.app('app_1')).flatMap(([group, table]) =>
    Object.keys(table as object).map((name) => `${group}.${name}`),
  );
  expect(made).toEqual(methods);
  expect(Object.keys(client)).toEqual(Object.keys(adminCalls));
  const facts = ['requestBody', 'parameters'] as const;
  for (const call of all) {
    const twin = twinOf(call, all);
    for (const fact of twin ? facts : []) expect(call[fact]).toEqual(twin?.[fact]);
  }
});

const inPage = globalThis as { document?: object };
afterEach(() => {
  delete inPage.document;
});

test('each request names the client and the version of its package', async () => {
  await using server = await startScript({}, {}, {}, streamOf('id: 1\ndata: {}\n\n'));
  const client = new HeraldClient({ url: server.url, appUid: 'app_1', apiKey: 'secret' });
  await client.service.health();
  await client.agents.get('agt_1');
  await new HeraldAdminClient({ url: server.url, csrfToken: () => null }).session.get();
  for await (const _ of client.events.stream()) break;
  const packageJson = await readFile('packages/client-ts/package.json', 'utf8');
  const { version } = JSON.parse(packageJson) as { version: string };
  const names = server.received.map(({ headers }) => headers['user-agent']);
  expect(names).toEqual(Array.from({ length: 4 }, () => `agent-herald-client-ts/${version}`));
});

test('in a page, no request has headers that need a preflight for calls open to all', async () => {
  inPage.document = {};
  const sent: unknown[] = [];
  const fetch = async (_: unknown, init?: RequestInit) => {
    sent.push(init?.headers);
    return Response.json({});
  };
  await new HeraldClient({ url: 'https://agents.example.com', fetch }).service.health();
  expect(sent).toEqual([{ accept: 'application/json' }]);
});
