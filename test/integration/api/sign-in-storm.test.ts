// A thousand first sign-ins of one identity at the same time, twenty times over.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Pool } from 'undici';
import { startService } from '../../support/service.ts';
import type { TestService } from '../../support/service.ts';

const rounds = 20;
const signInsPerRound = 1_000;

let service: TestService;
let sockets: Pool;

beforeAll(async () => {
  service = await startService({ worker: false });
  sockets = new Pool(service.apiUrl, { connections: 100, pipelining: 1 });
});

afterAll(async () => {
  await sockets?.close();
  await service?.[Symbol.asyncDispose]();
});

interface SignedIn {
  status: number;
  userUid: string;
  created: boolean;
}

async function signIn(body: Record<string, unknown>): Promise<SignedIn> {
  const { statusCode, body: answer } = await sockets.request({
    method: 'POST',
    path: `/api/v1/appuid/${service.app.appUid}/sdkusers/auth`,
    headers: { 'x-api-key': service.app.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { userUid, created } = (await answer.json()) as Omit<SignedIn, 'status'>;
  return { status: statusCode, userUid, created };
}

test('each time one user is made, every call is answered 200, and exactly one says that it made it', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const identity =
      round % 2 === 0
        ? { externalId: `storm-${round}` }
        : { userEmail: `storm-${round}@example.com` };
    // In every fourth round the user is to be in an account, too.
    const accountUids = round % 4 === 0 ? [service.app.accountUid] : [];
    const answers = await Promise.all(
      Array.from({ length: signInsPerRound }, () => signIn({ ...identity, accountUids })),
    );
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => answer.userUid)).size).toBe(1);
    expect(answers.filter((answer) => answer.created)).toHaveLength(1);
  }
  expect(await service.store.users.countDocuments()).toBe(rounds);
  const added = { action: 'account.member_added' };
  expect(await service.store.auditLog.countDocuments(added)).toBe(rounds / 4);
}, 300_000);
