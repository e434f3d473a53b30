// Invalid options are rejected when a receiver is created, as by the receivers of all languages.
import { expect, test } from 'vitest';
import {
  MemoryDeliveryStore,
  MemorySequenceStore,
  Receiver,
} from '../../../../packages/receiver-ts/src/index.ts';
import { optionsCases } from '../../../support/receiver-cases.ts';
import { receiverSecret } from '../../../support/signed-deliveries.ts';

const onEvent = () => undefined;

/** Creates a receiver and the stores that take a `countMax`. */
function make(options: Readonly<Record<string, unknown>>): Receiver {
  const { countMax, ...rest } = options;
  const stores =
    countMax === undefined
      ? {}
      : {
          deliveries: new MemoryDeliveryStore({ countMax: countMax as number }),
          sequences: new MemorySequenceStore({ countMax: countMax as number }),
        };
  const isKeyed = 'publicKeys' in options || 'keySetUrl' in options;
  const keys = isKeyed ? { webhookUid: 'whk_1' } : { secrets: receiverSecret };
  return new Receiver({ ...keys, onEvent, ...stores, ...rest });
}

function refusalOf(options: Readonly<Record<string, unknown>>): unknown {
  try {
    make(options);
    return null;
  } catch (error) {
    return error;
  }
}

test.each(optionsCases)('$name', ({ options, refused }) => {
  const expected = refused && new TypeError(`${refused.option} ${refused.rule}`);
  expect(refusalOf(options)).toEqual(expected);
});

test('a single secret needs no list, and is named like the first of one', () => {
  expect(refusalOf({ secrets: receiverSecret })).toBeNull();
  const error = refusalOf({ secrets: `${receiverSecret}\n`, scheme: 'body-only' });
  expect(String(error)).toContain('secrets[0] must be printable ASCII');
});

test('an error about a secret does not show it', () => {
  for (const { options, refused } of optionsCases.filter(({ options }) => 'secrets' in options))
    if (refused !== null) expect(String(refusalOf(options))).not.toContain('MfKQ9r8G');
});

test.each([
  ['onEvent', undefined],
  ['onEvent', 'handle'],
  ['onTest', {}],
  ['onError', console],
  ['now', 1_700_000_000],
])('%s: %j is not a function', (name, value) => {
  expect(refusalOf({ [name]: value })).toEqual(new TypeError(`${name} must be a function`));
});

test.each([
  ['deliveries', new MemorySequenceStore(), 'claim and complete and release'],
  ['deliveries', { claim: onEvent, complete: onEvent }, 'claim and complete and release'],
  ['deliveries', 'redis://127.0.0.1', 'claim and complete and release'],
  ['sequences', new MemoryDeliveryStore(), 'newest and advance'],
  ['sequences', null, 'newest and advance'],
])('%s: a store without its methods is rejected: %j', (name, store, methods) => {
  const error = new TypeError(`${name} must have the methods ${methods}`);
  expect(refusalOf({ [name]: store })).toEqual(error);
});

test.each([
  [{ keepMs: 0 }, 'keepMs must be a whole number from 1 on'],
  [{ claimMs: Number.NaN }, 'claimMs must be a whole number from 1 on'],
  [{ now: 5 as unknown as () => number }, 'now must be a function'],
])('a memory store rejects %j', (options, message) => {
  expect(() => new MemoryDeliveryStore(options)).toThrow(new TypeError(message));
});
