// The message for an operator when MongoDB cannot be used never contains the password.
import { expect, test } from 'vitest';
import { MongoClient, MongoServerError } from 'mongodb';
import { connectFault } from '../../../lib/mongo/connect-fault.ts';

async function faultOf(uri: string): Promise<Error> {
  try {
    await using client = new MongoClient(uri, { serverSelectionTimeoutMS: 100 });
    await client.connect();
  } catch (error) {
    return connectFault(uri, error);
  }
  throw new Error(`${uri} was connected to`);
}

test.each([
  [
    'a port on which nothing listens',
    'mongodb://127.0.0.1:1,127.0.0.1:2/app?replicaSet=a',
    'MongoDB at 127.0.0.1:1,127.0.0.1:2 cannot be reached: nothing listens there; is it running, and MONGODB_URI right?',
  ],
  [
    'another scheme',
    'http://ada:s3cret@127.0.0.1',
    'MONGODB_URI is not a connection string such as mongodb://host:27017',
  ],
  [
    'no host',
    'mongodb://ada:s3cret@',
    'MONGODB_URI is not a connection string such as mongodb://host:27017',
  ],
  [
    'an unknown option',
    'mongodb://ada:s3cret@127.0.0.1/?colour=red',
    'MONGODB_URI cannot be used: option colour is not supported',
  ],
])('%s is reported in one sentence', async (_what, uri, sentence) => {
  expect((await faultOf(uri)).message).toBe(sentence);
});

test('a refused password is reported without it', () => {
  const refused = new MongoServerError({ message: 'Authentication failed.', code: 18 });
  const { message } = connectFault('mongodb+srv://ada:s3cret@db.example/x', refused);
  expect(message).toBe('MongoDB at db.example refuses the user or password of MONGODB_URI');
});
