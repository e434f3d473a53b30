import { expect, test } from 'vitest';
import {
  HeraldAdminClient,
  InsufficientRoleError,
  NotSignedInError,
  StreamEndedError,
} from '../../../../packages/client-ts/src/index.ts';
import { problem, type Reply, startScript, streamOf } from './script-server.ts';

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

test('problems of sessions and roles are errors by class', async () => {
  const replies = [problem(401, 'not_signed_in'), problem(403, 'insufficient_role')];
  await using server = await scripted(replies);
  await expect(server.client.session.get()).rejects.toBeInstanceOf(NotSignedInError);
  const { members } = server.client.app('app_1');
  await expect(members.remove('adm_1')).rejects.toBeInstanceOf(InsufficientRoleError);
});

test.each(['session_ended', 'role_ended'])(
  'a stream that ends with %s does not reconnect',
  async (reason) => {
    const closed = `event: closed\ndata: ${JSON.stringify({ reason, detail: 'sign in' })}\n\n`;
    await using server = await scripted([streamOf('event: opened\ndata: {}\n\n', closed)]);
    const read = async () => {
      for await (const _ of server.client.app('app_1').events.stream())
        expect.fail('no event came');
    };
    await expect(read()).rejects.toBeInstanceOf(StreamEndedError);
    expect(server.received).toMatchObject([{ url: '/admin/api/apps/app_1/events/stream' }]);
  },
);

test('an application without a uid is rejected before anything is sent', async () => {
  await using server = await scripted([page]);
  await expect(server.client.app('').events.get('evt_1')).rejects.toThrow('appUid must be the uid');
  expect(server.received).toEqual([]);
});
