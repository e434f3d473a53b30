// What a receiver fetches when, and which keys serve meanwhile.

/** Text is the name of a key, which becomes its JWK. Anything else is served as it is. */
type Served = { status?: number; cacheControl?: string; bytes?: number; held?: true } & (
  { keys: readonly unknown[] } | { body: string }
);

type Step =
  /** What the server responds with from now on; null closes the connection. */
  | { serve: Served | null }
  /** A delivery signed with the key of that name, and the number of fetches so far. */
  | { deliver: string; expect: string; fetches: number }
  /** What is held is sent. */
  | { respond: true }
  | { waitSeconds: number };

interface KeySetCase {
  name: string;
  steps: readonly Step[];
}

const serve = (served: Served | null): Step => ({ serve: served });
const wait = (waitSeconds: number): Step => ({ waitSeconds });
const expecting =
  (expected: string) =>
  (key: string, fetches: number): Step => ({ deliver: key, expect: expected, fetches });
const accepted = expecting('ok');
const unknown = expecting('signature_mismatch');
const unavailable = expecting('keys_unavailable');

const first = serve({ keys: ['first'] });
const second = serve({ keys: ['second'] });
const otherKinds = [null, 7, { kty: 'EC', x: 7 }, { kty: 'OKP', crv: 'Ed25519' }];
const shortKey = { kty: 'OKP', crv: 'Ed25519', x: 'AA' };
const otherCurve = { kty: 'OKP', crv: 'X25519', x: 'AA' };

const freshness: readonly [string | undefined, number][] = [
  [undefined, 300],
  ['no-store', 300],
  ['s-maxage=900', 300],
  ['max-age=soon', 300],
  ['max-age=-1', 300],
  ['max-age="90"', 300],
  ['max-age=0', 60],
  ['max-age=59', 60],
  ['Max-Age=61', 61],
  ['public,max-age=600', 600],
  ['max-age=86401', 86_400],
  ['max-age=9999999999', 86_400],
];

function freshFor([cacheControl, seconds]: (typeof freshness)[number]): KeySetCase {
  const served = { keys: ['first'], ...(cacheControl === undefined ? {} : { cacheControl }) };
  const checks = [wait(seconds - 1), accepted('first', 1), wait(1), accepted('first', 2)];
  return {
    name: `with the Cache-Control ${cacheControl ?? 'of nothing'}, a set is fresh for ${seconds} s`,
    steps: [serve(served), accepted('first', 1), ...checks],
  };
}

/** Stale keys serve for 5 more minutes. After that, a delivery waits for the fetch. */
function waitsAfter([cacheControl, freshSeconds]: (typeof freshness)[number]): KeySetCase[] {
  const served = { keys: ['first'], ...(cacheControl === undefined ? {} : { cacheControl }) };
  const known = [serve(served), accepted('first', 1), second];
  const seconds = Math.min(freshSeconds + 300, 86_401);
  const what = `with the Cache-Control ${cacheControl ?? 'of nothing'}, a delivery`;
  return [
    {
      name: `${what} does not wait for a fetch after ${seconds - 1} s`,
      steps: [...known, wait(seconds - 1), accepted('first', 2), accepted('second', 2)],
    },
    {
      name: `${what} waits for a fetch after ${seconds} s`,
      steps: [...known, wait(seconds), unknown('first', 2), accepted('second', 2)],
    },
  ];
}

const outages: readonly [string, Served | null][] = [
  ['responds with 500', { status: 500, body: '{}' }],
  ['closes the connection', null],
  ['responds with something else', { body: '<html>' }],
];

function lastKeysServe([what, served]: (typeof outages)[number]): KeySetCase {
  return {
    name: `the last keys serve for a day while the server ${what}`,
    steps: [
      first,
      accepted('first', 1),
      serve(served),
      wait(300),
      accepted('first', 2),
      unknown('second', 2),
      wait(86_100),
      accepted('first', 3),
      wait(1),
      unavailable('first', 3),
      first,
      wait(60),
      accepted('first', 4),
    ],
  };
}

const unusable: readonly [string, Served | null][] = [
  ['a closed connection', null],
  ['a redirect', { status: 302, body: '' }],
  ['404', { status: 404, body: '{"keys":[]}' }],
  ['500', { status: 500, body: '{}' }],
  ['204', { status: 204, body: '' }],
  ['no JSON', { body: '<html>' }],
  ['null', { body: 'null' }],
  ['a list', { body: '[]' }],
  ['no keys', { keys: [] }],
  ['keys that are no list', { body: '{"keys":7}' }],
  ['only keys of other kinds', { keys: [...otherKinds, otherCurve, shortKey] }],
  ['65,537 bytes', { keys: ['first'], bytes: 65_537 }],
];

function noKeys([what, served]: (typeof unusable)[number]): KeySetCase {
  return {
    name: `with ${what} there are no keys, and the next fetch is a minute later`,
    steps: [
      serve(served),
      unavailable('first', 1),
      unavailable('first', 1),
      first,
      wait(59),
      unavailable('first', 1),
      wait(1),
      accepted('first', 2),
    ],
  };
}

const keySetCases: readonly KeySetCase[] = [
  ...freshness.map(freshFor),
  ...freshness.flatMap(waitsAfter),
  {
    name: 'a key that is not in the set causes a fetch, but at most one a minute',
    steps: [
      first,
      accepted('first', 1),
      serve({ keys: ['first', 'second'] }),
      wait(59),
      unknown('second', 1),
      wait(1),
      accepted('second', 2),
      unknown('third', 2),
      wait(60),
      unknown('third', 3),
    ],
  },
  {
    name: 'a key that left the set is refused after the fetch that its first delivery to a stale set causes',
    steps: [
      first,
      accepted('first', 1),
      second,
      wait(299),
      accepted('first', 1),
      wait(1),
      accepted('first', 2),
      accepted('second', 2),
      unknown('first', 2),
    ],
  },
  {
    name: 'a clock that was set back by a minute allows a fetch',
    steps: [
      first,
      accepted('first', 1),
      second,
      wait(-59),
      unknown('second', 1),
      wait(-1),
      accepted('second', 2),
    ],
  },
  {
    name: 'deliveries do not wait while the server of a stale set hangs, and cause one fetch',
    steps: [
      first,
      accepted('first', 1),
      serve({ keys: ['second'], held: true }),
      wait(300),
      accepted('first', 2),
      accepted('first', 2),
      { respond: true },
      accepted('second', 2),
      unknown('first', 2),
    ],
  },
  {
    name: 'a delivery does not wait if a fetch failed within 10 minutes',
    steps: [
      first,
      accepted('first', 1),
      serve(null),
      wait(300),
      accepted('first', 2),
      unknown('second', 2),
      second,
      wait(599),
      accepted('first', 3),
      accepted('second', 3),
    ],
  },
  {
    name: 'a delivery waits if the last fetch failed 10 minutes ago',
    steps: [
      first,
      accepted('first', 1),
      serve(null),
      wait(300),
      accepted('first', 2),
      unknown('second', 2),
      second,
      wait(600),
      unknown('first', 3),
    ],
  },
  {
    name: 'keys of more than a day ago do not serve, however long they were fresh',
    steps: [
      serve({ keys: ['first'], cacheControl: 'max-age=86400' }),
      accepted('first', 1),
      serve(null),
      wait(86_401),
      unavailable('first', 2),
    ],
  },
  ...outages.map(lastKeysServe),
  ...unusable.map(noKeys),
  {
    name: 'a set of 65,536 bytes is read',
    steps: [serve({ keys: ['first'], bytes: 65_536 }), accepted('first', 1)],
  },
  {
    name: 'keys of other kinds are skipped',
    steps: [serve({ keys: [...otherKinds, 'first'] }), accepted('first', 1)],
  },
  {
    name: 'the twentieth key counts, and the next does not',
    steps: [
      serve({ keys: [...otherKinds, ...Array<string>(19).fill('third'), 'first', 'second'] }),
      accepted('first', 1),
      unknown('second', 1),
    ],
  },
];

/** Returns the text of `packages/receiver-cases/key-sets.json`. */
export function keySetsFile(): string {
  return `${JSON.stringify({ cases: keySetCases }, null, 2)}\n`;
}
