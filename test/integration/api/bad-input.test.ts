// Every field of every body with everything it must not be: the schemas say what that is.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Route } from '../../../api/http/router.ts';
import { routes } from '../../../api/routes.ts';
import { makeTestAdmin } from '../../support/admin-client.ts';
import type { TestAdmin } from '../../support/admin-client.ts';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';
import { badBodiesOf, textThatFails } from './bad-bodies.ts';
import { fillPath, furnishAdminArea, furnishApp, goodBodyOf, nameOf } from './furnished-app.ts';
import type { PathUids } from './furnished-app.ts';
import { expectProblem, faultsOf } from './problems.ts';

let service: TestService;
let superuser: TestAdmin;
let uids: PathUids;

beforeAll(async () => {
  service = await startService({ worker: false });
  superuser = await makeTestAdmin(service);
  uids = {
    ...(await furnishApp(service.apiUrl, service.app)),
    ...(await furnishAdminArea(service.app, superuser)),
  };
}, 60_000);

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
});

function send(route: Route, text: string) {
  const headers =
    route.access.kind === 'key' ? { 'x-api-key': service.app.apiKey } : superuser.headers;
  return service.raw(route.method.toUpperCase(), fillPath(route, uids), { headers, body: text });
}

const withBody = routes.flatMap((route): [string, Route][] =>
  route.body === null ? [] : [[nameOf(route), route]],
);

describe.each(withBody)('%s', (_name, route) => {
  const good = goodBodyOf(route) as Record<string, unknown>;

  test('takes the body that the bad ones are made of', () => {
    expect(route.body?.(good)).toEqual(good);
  });

  test('refuses each field with what it must not be, and points to it', async () => {
    const unnoticed: string[] = [];
    for (const { what, pointer, text } of badBodiesOf(route, good)) {
      const answer = await send(route, text);
      const places = faultsOf(answer).map((fault) => fault.split(' ')[0]);
      const isRefused = answer.status === 400 || answer.status === 422;
      const isPlaced = places.some(
        (place) => place === pointer || place?.startsWith(`${pointer}/`),
      );
      if (!isRefused || !isPlaced) {
        unnoticed.push(`${what}: ${answer.status} ${JSON.stringify(answer.body['errors'])}`);
      } else {
        expectProblem(answer, answer.status, answer.body['code'] as never);
      }
    }
    expect(unnoticed).toEqual([]);
  }, 60_000);

  test.each(textThatFails(good))('refuses %s as a body', async (_what, text) => {
    expectProblem(await send(route, text), 400, 'malformed_json');
  });
});

test('none of it was stored or changed anything', async () => {
  const agents = await service.store.agents.find({ appUid: service.app.appUid }).toArray();
  expect(agents.map((agent) => agent._id)).toEqual([uids['agentUid']]);
  const webhooks = await service.store.webhooks.find({ appUid: service.app.appUid }).toArray();
  expect(webhooks.map((webhook) => webhook._id)).toEqual([uids['webhookUid']]);
  expect(await service.store.users.countDocuments({ appUid: service.app.appUid })).toBe(1);
});
