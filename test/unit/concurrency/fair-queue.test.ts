// A queue that serves applications in turn, and the webhooks of each application in turn.
import { expect, test } from 'vitest';
import { FairQueue } from '../../../lib/concurrency/fair-queue.ts';

const item = (appUid: string, webhookUid: string, n = 0) => ({ appUid, webhookUid, n });
const always = (): boolean => true;

function queueOf(...items: ReturnType<typeof item>[]) {
  const queue = new FairQueue<ReturnType<typeof item>>();
  for (const each of items) queue.add(each);
  return queue;
}

test('applications are served in turn, however many items one has', () => {
  const queue = queueOf(item('a', 'a1'), item('a', 'a1', 1), item('a', 'a1', 2), item('b', 'b1'));
  const served = [1, 2, 3, 4].map(() => queue.take(always));
  expect(served.map((each) => `${each?.webhookUid}/${each?.n}`)).toEqual([
    'a1/0',
    'b1/0',
    'a1/1',
    'a1/2',
  ]);
  expect(queue.take(always)).toBeUndefined();
});

test('within an application webhooks are served in turn', () => {
  const queue = queueOf(item('a', 'a1'), item('a', 'a1', 1), item('a', 'a2'), item('a', 'a3'));
  const served = [1, 2, 3, 4].map(() => queue.take(always)?.webhookUid);
  expect(served).toEqual(['a1', 'a2', 'a3', 'a1']);
});

test('an item that may not go yet keeps its turn, and others go first', () => {
  const queue = queueOf(item('a', 'a1'), item('b', 'b1'), item('a', 'a2'));
  const notA1 = ({ webhookUid }: { webhookUid: string }): boolean => webhookUid !== 'a1';
  expect(queue.take(notA1)?.webhookUid).toBe('a2');
  expect(queue.take(notA1)?.webhookUid).toBe('b1');
  expect(queue.take(notA1)).toBeUndefined();
  expect(queue.take(always)?.webhookUid).toBe('a1');
});

test('a removed item is not served, and leaves nothing behind', () => {
  const [first, second] = [item('a', 'a1'), item('a', 'a1', 1)];
  const queue = queueOf(first, second);
  queue.delete(first);
  queue.delete(first);
  expect([...queue]).toEqual([second]);
  queue.delete(second);
  expect([...queue]).toEqual([]);
  expect(queue.take(always)).toBeUndefined();
});
