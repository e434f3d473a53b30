// MONGODB_URI: no option weakens a guarantee of the service, and no message shows a secret.
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { asMongodbUri } from '../../../lib/config/mongodb-uri.ts';

const secret = 'hunter2';

function faultOf(uri: string): string {
  try {
    asMongodbUri(uri);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return '';
}

const optionsWithOneValue = {
  journal: ['false', 'true'],
  j: ['false', 'true'],
  w: ['1', 'majority'],
  readConcernLevel: ['local', 'majority'],
  readPreference: ['secondaryPreferred', 'primary'],
  retryWrites: ['false', 'true'],
  retryReads: ['false', 'true'],
  loadBalanced: ['true', 'false'],
  tlsAllowInvalidCertificates: ['true', 'false'],
  tlsAllowInvalidHostnames: ['true', 'false'],
  tlsInsecure: ['true', 'false'],
};

test.each(Object.entries(optionsWithOneValue))(
  '%s is refused with another value than that of the service',
  (name, [wrong, right]) => {
    const uri = `mongodb://herald:${secret}@db.example/?replicaSet=rs0&`;
    expect(faultOf(`${uri}${name}=${right}`)).toBe('');
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      const fault = faultOf(`${uri}${spelling}=${wrong}`);
      expect(fault).toMatch(new RegExp(`^remove \`${spelling}=${wrong}\`: .{20}`));
      expect(fault).not.toContain(secret);
    }
  },
);

test.each([
  'wtimeoutMS',
  'serverSelectionTimeoutMS',
  'ignoreUndefined',
  'rejectUnauthorized',
  'colour',
])('%s is refused by its name, and its value is not shown', (name) => {
  const fault = faultOf(`mongodb://db.example/?${name}=${secret}`);
  expect(fault).toMatch(new RegExp(`^remove \`${name}\`: `));
  expect(fault).not.toContain(secret);
});

test('all refused options are named together', () => {
  const fault = faultOf('mongodb://db.example/?w=1&replicaSet=rs0&timeoutMS=5&w=1');
  expect(fault.match(/remove `[^`]+`/g)).toEqual(['remove `w=1`', 'remove `timeoutMS`']);
});

test.each([
  `mongodb+srv://herald:${secret}@cluster0.a1b2c.mongodb.net/?retryWrites=true&w=majority&appName=Cluster0`,
  `mongodb://herald:${secret}@s-00.a1b2c.mongodb.net:27017,s-01.a1b2c.mongodb.net:27017/?ssl=true&replicaSet=atlas-x1&authSource=admin&retryWrites=true&w=majority&appName=Cluster0`,
  `mongodb://herald:${secret}@db.example/herald?replicaSet=rs0&authMechanism=SCRAM-SHA-256&tls=true&tlsCAFile=%2Fetc%2Fca.pem&tlsCertificateKeyFile=%2Fetc%2Fclient.pem&tlsCertificateKeyFilePassword=${secret}&compressors=zlib&maxIdleTimeMS=120000`,
  'mongodb://127.0.0.1:27017/?directConnection=true',
  'mongodb://db-0.db,db-1.db,db-2.db/?replicaSet=rs0',
  'mongodb://db.example',
])('%s is accepted, also by the driver', async (uri) => {
  expect(asMongodbUri(uri)).toBe(uri);
  await new MongoClient(uri).close();
});

// The driver parses the options after the last question mark.
test.each([`her?ald:hun/ter?j=true`, 'herald'])('a user %j hides no option', (user) => {
  expect(faultOf(`mongodb://${user}@db.example/?journal=false`)).toMatch(
    /^remove `journal=false`: [^;]+$/,
  );
});
