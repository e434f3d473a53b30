// MongoDB behind TLS with a private authority and client certificates, as with managed servers.
import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { readConfig } from '../../../lib/config/config.ts';
import { connectFault } from '../../../lib/mongo/connect-fault.ts';
import { connectStore } from '../../../lib/mongo/connect.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import { testServers } from '../../support/servers.ts';
import { startTlsFront, type TlsFront } from '../../support/tls-front.ts';

const secrets = {
  HERALD_SECRET_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  HERALD_KEY_PEPPER: 'p'.repeat(32),
  HERALD_DATABASE: `test_${randomBytes(6).toString('hex')}`,
};
let front: TlsFront;

beforeAll(async () => {
  front = await startTlsFront(new URL(testServers().mongodbUri), 'DNS:localhost');
});
afterAll(async () => front[Symbol.asyncDispose]());

type Changes = Record<string, string | null>;

/** The operator's settings. `changed` replaces options, null removes them. */
function settingsOf(changed: Changes = {}, host = 'localhost') {
  const options = Object.entries<string | null>({
    directConnection: 'true',
    tls: 'true',
    tlsCAFile: front.authorityFile,
    tlsCertificateKeyFile: front.clientFile,
    ...changed,
  }).filter(([, value]) => value !== null);
  const query = options.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`);
  const uri = `mongodb://${host}:${front.port}/?${query.join('&')}`;
  return readConfig({ ...secrets, MONGODB_URI: uri }).mongodb;
}

test('a transaction is committed over TLS, by the write concern of the service', async () => {
  await using store = await connectStore(settingsOf({ w: 'majority', retryWrites: 'true' }));
  const { options } = store.client;
  expect(options).toMatchObject({ tls: true, retryWrites: true, retryReads: true });
  expect(options.writeConcern).toMatchObject({ w: 'majority', journal: true });
  await inTransaction(store, (session) =>
    store.db.collection('secured').insertOne({ over: 'TLS' }, { session }),
  );
  expect(await store.db.collection('secured').findOne()).toMatchObject({ over: 'TLS' });
  await store.db.dropDatabase();
});

const refusals: Record<string, { changed?: Changes; host?: string; reason?: string }> = {
  'an authority that is not trusted': {
    changed: { tlsCAFile: null },
    reason: ': its certificate is of an authority that is not trusted (tlsCAFile)',
  },
  'another name': { host: '127.0.0.1', reason: ': its certificate is for another name' },
  'no certificate of the client': { changed: { tlsCertificateKeyFile: null } },
  'no TLS': { changed: { tls: 'false', tlsCAFile: null, tlsCertificateKeyFile: null } },
};

test.each(Object.entries(refusals))(
  'with %s the address and the reason are reported',
  async (...row) => {
    const [, { changed = {}, host = 'localhost', reason = '' }] = row;
    const { uri } = settingsOf(changed, host);
    // Sooner than the service's own 5 s.
    const client = new MongoClient(uri, { serverSelectionTimeoutMS: 300 });
    const error: unknown = await client.connect().catch((refused: unknown) => refused);
    expect(connectFault(uri, error).message).toContain(
      `MongoDB at ${host}:${front.port} cannot be reached${reason}; is it running`,
    );
    await client.close();
  },
);
