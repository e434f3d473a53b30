// The order in which addresses are dialled, and the end of a dial.
import { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { chooseAddresses, raceAddresses } from '../../../lib/egress/race-addresses.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const addresses = (count: number, prefix = '192.0.2.'): string[] =>
  Array.from({ length: count }, (_none, index) => `${prefix}${index + 1}`);

test('the families alternate, IPv4 first, each starting at a random address', () => {
  const found = ['2001:db8::1', '192.0.2.1', '192.0.2.2', '2001:db8::2', '192.0.2.3', '192.0.2.1'];
  const order = chooseAddresses(found, () => 0.5);
  expect(order).toEqual(['192.0.2.2', '2001:db8::2', '192.0.2.3', '2001:db8::1', '192.0.2.1']);
});

test.each([
  [8, 8],
  [9, 8],
  [10_000, 8],
])('of %i addresses %i are dialled', (count, chosen) => {
  const ofAny = Array.from({ length: count }, (_none, n) => `192.0.${n >> 8}.${n & 255}`);
  expect(chooseAddresses(ofAny)).toHaveLength(chosen);
});

test('many addresses of one family leave room for the other', () => {
  const order = chooseAddresses([...addresses(20), '2001:db8::1'], () => 0);
  expect(order[1]).toBe('2001:db8::1');
});

test('each of nine addresses is chosen for some random start', () => {
  const starts = Array.from({ length: 9 }, (_none, start) => (start + 0.5) / 9);
  const firsts = starts.map((start) => chooseAddresses(addresses(9), () => start)[0]);
  expect(new Set(firsts).size).toBe(9);
});

interface Dial {
  address: string;
  signal: AbortSignal;
  connect: () => Socket;
  fail: (error: Error) => void;
}

/** Starts a race whose dials the test ends. */
function startRace(count: number) {
  const dials: Dial[] = [];
  const stop = new AbortController();
  const ended = raceAddresses(addresses(count), {
    signal: stop.signal,
    open: (address, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        const connect = (): Socket => {
          const socket = new Socket();
          resolve(socket);
          return socket;
        };
        dials.push({ address, signal, connect, fail: reject });
      }),
  });
  ended.catch(() => undefined);
  return { dials, stop, ended };
}

test('the next address is dialled after 250 ms, and the one before it may still win', async () => {
  const { dials, ended } = startRace(3);
  await vi.advanceTimersByTimeAsync(249);
  expect(dials).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(dials).toHaveLength(2);
  const socket = dials[0]?.connect();
  expect(await ended).toBe(socket);
  expect(dials.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(dials).toHaveLength(2);
});

test('a refused address is followed by the next immediately, and the first fault is reported', async () => {
  const { dials, ended } = startRace(3);
  for (let turn = 0; turn < 3; turn += 1) {
    expect(dials).toHaveLength(turn + 1);
    dials[turn]?.fail(new Error(`fault ${turn}`));
    await vi.advanceTimersByTimeAsync(0);
  }
  await expect(ended).rejects.toThrow('fault 0');
});

test('a connection opened after the winner is closed', async () => {
  const { dials, ended } = startRace(2);
  await vi.advanceTimersByTimeAsync(250);
  const winner = dials[1]?.connect();
  const loser = dials[0]?.connect();
  expect(await ended).toBe(winner);
  await vi.advanceTimersByTimeAsync(0);
  expect(loser?.destroyed).toBe(true);
  expect(winner?.destroyed).toBe(false);
});

test('an abort ends all dials, starts no other, and is reported instead of earlier faults', async () => {
  const { dials, stop, ended } = startRace(4);
  dials[0]?.fail(new Error('refused'));
  await vi.advanceTimersByTimeAsync(250);
  expect(dials).toHaveLength(3);
  stop.abort(new Error('time is over'));
  await expect(ended).rejects.toThrow('time is over');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(dials).toHaveLength(3);
});

test('after an abort nothing is dialled', async () => {
  const dialled: string[] = [];
  const open = async (address: string): Promise<Socket> => {
    dialled.push(address);
    return new Socket();
  };
  const signal = AbortSignal.abort(new Error('over'));
  await expect(raceAddresses(addresses(2), { open, signal })).rejects.toThrow('over');
  expect(dialled).toEqual([]);
});
