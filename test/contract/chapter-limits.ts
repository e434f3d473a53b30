// The answers at reached limits, from a service with small limits and a fixed clock.
import { routes } from '../../api/routes.ts';
import { startService } from '../support/service.ts';
import { type Answer, createRecorder, type RecordedCall } from './recorder.ts';

// A fixed clock keeps all counts in one minute; an hour ahead, the database expires none meanwhile.
const standing = new Date(Date.now() + 3_600_000);
const isLimited = { until: ({ status }: Answer) => status === 429 };

/** Plays it with a service of its own. */
export async function playLimits(): Promise<RecordedCall[]> {
  await using service = await startService({
    worker: false,
    clock: { now: () => standing },
    env: {
      HERALD_KEY_REQUESTS_PER_MINUTE: '20',
      HERALD_FAILURES_PER_MINUTE: '5',
      HERALD_USER_SIGN_INS_PER_MINUTE: '3',
      HERALD_WEBHOOKS_PER_APP: '1',
    },
  });
  const { calls, call, prepare } = createRecorder(service, routes);
  const user = { body: { externalId: 'user-1' } };
  await call('too many sign-ins of a user', 'POST …/sdkusers/auth', { ...user, ...isLimited });
  const webhook = { body: { url: 'http://127.0.0.1:9/', entities: ['agent'] } };
  await prepare('POST …/webhooks', webhook);
  await call('too many webhooks', 'POST …/webhooks', webhook);
  await call('too many calls of a key', 'GET …/agents', isLimited);
  const wrong = { ...isLimited, headers: { 'x-api-key': 'ahk_unknown' } };
  await call('too many credentials that were refused', 'GET …/agents', wrong);
  const admin = { body: { email: 'ada@example.com', password: 'wrong' } };
  await call('too many failed sign-ins', 'POST /admin/api/session', { ...admin, ...isLimited });
  return calls;
}
