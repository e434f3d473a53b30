// For each file of test/e2e: no command on the path of an event goes to every shard.
import { commandsWithoutShardKey, watchShardKeys } from './shard-keys.ts';

const isWatched = /\/test\/e2e\//.test(expect.getState().testPath ?? '');

if (isWatched) {
  beforeAll(watchShardKeys);
  afterAll(() => expect(commandsWithoutShardKey()).toEqual([]));
}
