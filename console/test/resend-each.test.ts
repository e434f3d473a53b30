import { expect, test } from 'vitest';
import { resendEach } from '../src/pages/deliveries/resend-each.ts';

test('each row is resent once, four at a time; a failure does not stop the others, and held ones are reported', async () => {
  const rows = Array.from({ length: 20 }, (_, n) => n);
  const resent: number[] = [];
  const progress: number[] = [];
  let underWay = 0;
  let most = 0;
  const { failures, held } = await resendEach(rows, {
    resend: async (row) => {
      underWay += 1;
      most = Math.max(most, underWay);
      await Promise.resolve();
      underWay -= 1;
      resent.push(row);
      if (row % 10 === 3) throw new Error(`refused ${row}`);
      return { pausedWebhookUids: row === 7 ? ['whk_1'] : [] };
    },
    onDone: (count) => progress.push(count),
  });
  expect(resent.toSorted((a, b) => a - b)).toEqual(rows);
  expect(progress).toEqual(rows.map((n) => n + 1));
  expect(most).toBe(4);
  expect(failures.map(({ row }) => row).toSorted((a, b) => a - b)).toEqual([3, 13]);
  expect(held).toEqual([7]);
});

test('nothing is resent where nothing is selected', async () => {
  const never = () => Promise.reject(new Error('called'));
  const none = { failures: [], held: [] };
  expect(await resendEach([], { resend: never, onDone: () => undefined })).toEqual(none);
});
