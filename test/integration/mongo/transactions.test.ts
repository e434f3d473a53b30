// A transaction with permanent write conflicts.
import { afterAll, beforeAll, expect, vi, test } from 'vitest';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { insertWebhook } from '../../support/fixtures.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await createInstallation();
});

afterAll(async () => {
  await installation?.[Symbol.asyncDispose]();
});

test('a transaction is retried while another conflicts with it, and aborted after ten seconds', async () => {
  const { store } = installation;
  const { _id } = await insertWebhook(installation, { url: 'https://receiver.example/' });
  const touch = { $set: { updatedAt: new Date() } };
  // The clock of the limit is fixed, except for the two steps below.
  const startedAtMs = performance.now();
  using clock = vi.spyOn(performance, 'now').mockReturnValue(startedAtMs);
  const nowMsAfter = [startedAtMs, startedAtMs + 9_999, startedAtMs + 10_000];
  let begun = 0;
  await store.client.withSession(async (inTheWay) => {
    inTheWay.startTransaction();
    await store.webhooks.updateOne({ _id }, touch, { session: inTheWay });
    const giving = inTransaction(store, async (session) => {
      clock.mockReturnValue(nowMsAfter[begun] ?? 0);
      begun += 1;
      await store.webhooks.updateOne({ _id }, touch, { session });
    });
    await expect(giving).rejects.toMatchObject({
      name: 'AppError',
      code: 'unavailable',
      cause: { codeName: 'WriteConflict' },
    });
    await inTheWay.abortTransaction();
  });
  expect(begun).toBe(3);
  clock.mockRestore();
  await inTransaction(store, (session) => store.webhooks.deleteOne({ _id }, { session }));
  expect(await store.webhooks.countDocuments({ _id })).toBe(0);
});
