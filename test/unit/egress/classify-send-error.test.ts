// The addresses that an attempt dials, its deadline, and the classes of its errors.
import { classifySendError, type SendPhase } from '../../../lib/egress/classify-send-error.ts';
import { startDeadline } from '../../../lib/egress/attempt-deadline.ts';
import { Socket } from 'node:net';
import { chooseAddresses, raceAddresses } from '../../../lib/egress/race-addresses.ts';

function fault(code: string): Error {
  return Object.assign(new Error('connect to 10.1.2.3 with secret'), { code });
}

const cases: readonly (readonly [string, SendPhase, string])[] = [
  ['ENOTFOUND', 'dns', 'dns'],
  ['ADDRESS_ABSENT', 'dns', 'dns'],
  ['NAME_UNRESOLVED', 'dns', 'dns'],
  ['ADDRESS_BLOCKED', 'dns', 'blocked'],
  ['ADDRESS_BLOCKED', 'connect', 'blocked'],
  ['ECONNREFUSED', 'connect', 'connect'],
  ['ETIMEDOUT', 'connect', 'connect'],
  ['PROXY_REFUSED', 'connect', 'connect'],
  ['CERT_HAS_EXPIRED', 'tls', 'tls'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', 'tls'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'exchange', 'tls'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'exchange', 'tls'],
  ['EPROTO', 'tls', 'tls'],
  ['EPROTO', 'exchange', 'tls'],
  ['ECONNRESET', 'exchange', 'reset'],
  ['UND_ERR_SOCKET', 'exchange', 'reset'],
  ['HPE_INVALID_CONSTANT', 'exchange', 'reset'],
  ['ERR_ASSERTION', 'exchange', 'reset'],
  ['UND_ERR_HEADERS_OVERFLOW', 'exchange', 'too_large'],
  ['HPE_HEADER_OVERFLOW', 'exchange', 'too_large'],
  ['RESPONSE_TOO_LONG', 'exchange', 'too_large'],
  ['ATTEMPT_DEADLINE', 'exchange', 'timeout'],
];

test.each(cases)('%s while in phase %s is %s', (code, phase, errorClass) => {
  const verdict = classifySendError(fault(code), phase);
  expect(verdict?.errorClass).toBe(errorClass);
  expect(verdict?.detail).not.toMatch(/10\.1\.2\.3|secret/);
});

test('an error without a code gets the class of its phase', () => {
  expect(classifySendError(new Error('odd'), 'tls')?.errorClass).toBe('tls');
  expect(classifySendError(new Error('odd'), 'dns')?.errorClass).toBe('dns');
});

test("a fault of our own code does not count as the receiver's", () => {
  expect(classifySendError(fault('UND_ERR_INVALID_ARG'), 'exchange')).toBeNull();
  expect(classifySendError(fault('ERR_INVALID_ARG_TYPE'), 'connect')).toBeNull();
  expect(classifySendError(fault('PROXY_FAILED'), 'connect')).toBeNull();
  expect(classifySendError(fault('CLIENT_CERTIFICATE_UNUSABLE'), 'tls')).toBeNull();
  expect(classifySendError(fault('ERR_ASSERTION'), 'connect')).toBeNull();
  expect(classifySendError(new TypeError('x is not a function'), 'exchange')).toBeNull();
  expect(classifySendError(undefined, 'exchange')).toBeNull();
});

test.each(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM'])(
  "%s, an exhausted resource of this host, does not count as the receiver's fault",
  (code) => {
    expect(classifySendError(fault(code), 'connect')).toBeNull();
    expect(classifySendError(fault(`${code}X`), 'connect')?.errorClass).toBe('connect');
  },
);

test.each([
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', ': it does not know its issuer'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', ': it has expired'],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED', ': it is revoked'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', ''],
  ['ERR_SSL_TLSV1_ALERT_ACCESS_DENIED', ''],
])('the alert %s says that the receiver refused the client certificate', (code, why) => {
  const refused = `the receiver refused the client certificate${why}`;
  expect(classifySendError(fault(code), 'exchange')?.detail).toBe(refused);
  expect(classifySendError(fault(`${code}X`), 'exchange')?.detail).not.toContain('certificate');
});

const timeUp = expect.objectContaining({ code: 'ATTEMPT_DEADLINE' });

/** Blocks the event loop, like a suspension of the process: no timer fires meanwhile. */
function standStill(forMs: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs);
}

test('a request does not start after its deadline, even if no timer has fired', () => {
  jest.useRealTimers();
  const deadline = startDeadline(100, {});
  deadline.check();
  standStill(101);
  expect(deadline.signal.aborted).toBe(false);
  expect(() => deadline.check()).toThrow(timeUp);
  deadline.stop();
});

test('a request that its caller refuses does not start, and the caller gets its own error', () => {
  const refusal = new Error('the lease has ended');
  const beforeRequest = (): void => {
    throw refusal;
  };
  const deadline = startDeadline(10_000, { beforeRequest });
  deadline.throwIfEnded();
  expect(() => deadline.check()).toThrow(refusal);
  expect(() => deadline.throwIfEnded()).toThrow(refusal);
  deadline.stop();
});

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

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
  await jest.advanceTimersByTimeAsync(249);
  expect(dials).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(1);
  expect(dials).toHaveLength(2);
  const socket = dials[0]?.connect();
  expect(await ended).toBe(socket);
  expect(dials.map(({ signal }) => signal.aborted)).toEqual([false, true]);
  await jest.advanceTimersByTimeAsync(10_000);
  expect(dials).toHaveLength(2);
});

test('a refused address is followed by the next immediately, and the first fault is reported', async () => {
  const { dials, ended } = startRace(3);
  for (let turn = 0; turn < 3; turn += 1) {
    expect(dials).toHaveLength(turn + 1);
    dials[turn]?.fail(new Error(`fault ${turn}`));
    await jest.advanceTimersByTimeAsync(0);
  }
  await expect(ended).rejects.toThrow('fault 0');
});

test('a connection opened after the winner is closed', async () => {
  const { dials, ended } = startRace(2);
  await jest.advanceTimersByTimeAsync(250);
  const winner = dials[1]?.connect();
  const loser = dials[0]?.connect();
  expect(await ended).toBe(winner);
  await jest.advanceTimersByTimeAsync(0);
  expect(loser?.destroyed).toBe(true);
  expect(winner?.destroyed).toBe(false);
});

test('an abort ends all dials, starts no other, and is reported instead of earlier faults', async () => {
  const { dials, stop, ended } = startRace(4);
  dials[0]?.fail(new Error('refused'));
  await jest.advanceTimersByTimeAsync(250);
  expect(dials).toHaveLength(3);
  stop.abort(new Error('time is over'));
  await expect(ended).rejects.toThrow('time is over');
  await jest.advanceTimersByTimeAsync(10_000);
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
