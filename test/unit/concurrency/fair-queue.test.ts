// Limits that applications share: permits, queues and turns.
import { FairPermits } from '../../../lib/concurrency/fair-permits.ts';
import { SharedLimit } from '../../../lib/concurrency/shared-limit.ts';
import { FairQueue } from '../../../lib/concurrency/fair-queue.ts';

const refusal = (reason: string): Error => new Error(`refused: ${reason}`);
const waitMsMax = 2_000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const settle = (afterMs = 0): Promise<void> => jest.advanceTimersByTimeAsync(afterMs);

/** Work that starts with a permit and ends when the test says so. */
class Works {
  readonly permits: FairPermits;
  /** The names of tasks, in the order in which they started or were refused. */
  readonly begun: string[] = [];
  readonly refused: string[] = [];
  readonly #ends = new Map<string, () => void>();

  constructor(permitsMax: number, queueMax = 100) {
    this.permits = new FairPermits({ permitsMax, queueMax, waitMsMax, refusal });
  }

  add(appUid: string, ...numbers: number[]): void {
    for (const n of numbers) {
      const name = `${appUid}${n}`;
      const work = (): Promise<void> => {
        this.begun.push(name);
        return new Promise((end) => this.#ends.set(name, end));
      };
      this.permits.run({ group: appUid, member: null }, work).catch(({ message }: Error) => {
        this.refused.push(`${name} ${message}`);
      });
    }
  }

  async end(...names: string[]): Promise<void> {
    for (const name of names) this.#ends.get(name)?.();
    await settle();
  }
}

test('an application holds three quarters of the permits, and others can still start', async () => {
  const works = new Works(4);
  works.add('a', 1, 2, 3, 4);
  works.add('b', 1);
  expect(works.begun).toEqual(['a1', 'a2', 'a3', 'b1']);
  expect(works.permits.count()).toEqual({ held: 4, waiting: 1 });
  await works.end('b1');
  expect(works.begun).not.toContain('a4');
  await works.end('a1');
  expect(works.begun.at(-1)).toBe('a4');
  expect(works.permits.count()).toEqual({ held: 3, waiting: 0 });
});

test('applications are served in turn, however many tasks of one wait', async () => {
  const works = new Works(4);
  works.add('a', 1, 2, 3);
  works.add('b', 1);
  works.add('a', 4, 5, 6);
  works.add('b', 2);
  works.add('c', 1);
  await works.end('a1');
  await works.end('a2');
  await works.end('a3');
  await works.end('b1');
  expect(works.begun.slice(4)).toEqual(['a4', 'b2', 'c1', 'a5']);
});

test('an application queues for three quarters of the queue, and others still queue', async () => {
  const works = new Works(1, 4);
  works.add('z', 1);
  works.add('a', 1, 2, 3, 4);
  works.add('b', 1);
  await settle();
  expect(works.refused).toEqual(['a4 refused: too many requests are waiting']);
  works.add('c', 1);
  await settle();
  expect(works.refused.at(-1)).toBe('c1 refused: too many requests are waiting');
  expect(works.permits.count().waiting).toBe(4);
});

test('a task that waits too long is refused, never starts, and leaves the queue', async () => {
  const works = new Works(4, 4);
  works.add('a', 1, 2, 3, 4, 5, 6);
  await settle(waitMsMax);
  expect(works.refused).toHaveLength(3);
  expect(works.permits.count()).toEqual({ held: 3, waiting: 0 });
  works.add('a', 7);
  await works.end('a1');
  expect(works.begun).toEqual(['a1', 'a2', 'a3', 'a7']);
});

test('a failed task releases its permit', async () => {
  const works = new Works(1);
  const failing = works.permits.run({ group: 'a', member: null }, () =>
    Promise.reject(new Error('no')),
  );
  works.add('a', 1);
  await expect(failing).rejects.toThrow('no');
  await settle();
  expect(works.begun).toEqual(['a1']);
});

test('a member holds three quarters of the share of its group, and members are served in turn', async () => {
  const permits = new FairPermits({ permitsMax: 8, queueMax: 100, waitMsMax, refusal });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const add = (member: string): void => {
    const work = (): Promise<void> => {
      begun.push(member);
      return new Promise((end) => ends.push(end));
    };
    void permits.run({ group: 'g', member }, work);
  };
  for (const member of ['a', 'a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'c']) add(member);
  // Six are the group's share, and four of them a member's.
  expect(begun).toEqual(['a', 'a', 'a', 'a', 'b', 'b']);
  for (let n = 0; n < 3; n += 1) {
    ends.shift()?.();
    await settle();
  }
  expect(begun.slice(6)).toEqual(['a', 'b', 'c']);
});

test('a suspension of the process counts as one tick of the wait', async () => {
  jest.useRealTimers();
  const permits = new FairPermits({ permitsMax: 1, queueMax: 100, waitMsMax: 300, refusal });
  const party = { group: 'a', member: null };
  let end = (): void => undefined;
  void permits.run(party, () => new Promise<void>((resolve) => (end = resolve)));
  const waiting = permits.run(party, async () => 'granted');
  // The timer is then late by more than the whole wait.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  setTimeout(end, 1);
  expect(await waiting).toBe('granted');
});

test('an application takes at most three quarters, and others take the rest', () => {
  const limit = new SharedLimit(8);
  for (let n = 0; n < 6; n += 1) {
    expect(limit.hasRoom('a')).toBe(true);
    limit.take('a');
  }
  expect(limit.hasRoom('a')).toBe(false);
  for (let n = 0; n < 2; n += 1) {
    expect(limit.hasRoom('b')).toBe(true);
    limit.take('b');
  }
  expect([limit.held, limit.hasRoom('b'), limit.hasRoom('c')]).toEqual([8, false, false]);
  limit.release('a');
  expect([limit.hasRoom('a'), limit.hasRoom('c')]).toEqual([true, true]);
});

test('a limit of one goes to the first caller', () => {
  const limit = new SharedLimit(1);
  expect(limit.hasRoom('a')).toBe(true);
  limit.take('a');
  expect(limit.hasRoom('b')).toBe(false);
});

const item = (appUid: string, webhookUid: string, n = 0) => ({ appUid, webhookUid, n });
const always = (): boolean => true;

function queueOf(...items: ReturnType<typeof item>[]) {
  const queue = new FairQueue<ReturnType<typeof item>>();
  for (const each of items) queue.add(each);
  return queue;
}

test('applications are served in turn, and within an application its webhooks, however many items one has', () => {
  const ofA = [item('a', 'a1'), item('a', 'a1', 1), item('a', 'a1', 2), item('a', 'a2')];
  const queue = queueOf(...ofA, item('b', 'b1'));
  const served = [1, 2, 3, 4, 5].map(() => queue.take(always));
  const names = served.map((each) => `${each?.webhookUid}/${each?.n}`);
  expect(names).toEqual(['a1/0', 'b1/0', 'a2/0', 'a1/1', 'a1/2']);
  expect(queue.take(always)).toBeUndefined();
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
