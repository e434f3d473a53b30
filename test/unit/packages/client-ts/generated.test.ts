import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { publicCalls, readContract } from '../../../../dev/client-types/contract.ts';
import { withoutMethod } from '../../../../dev/client-types/method-names.ts';
import { generatedFiles } from '../../../../dev/client-types/generated-files.ts';
import { formatted } from '../../../../dev/receiver-types/formatted.ts';
import { HeraldClient } from '../../../../packages/client-ts/src/client.ts';
import { calls } from '../../../../packages/client-ts/src/generated/calls.ts';

const contract = readContract();

test('the generated files are what the contract makes; npm run client-types writes them', async () => {
  for (const [name, text] of Object.entries(generatedFiles(contract))) {
    const written = await readFile(`packages/client-ts/src/generated/${name}`, 'utf8');
    expect(written === (await formatted(text))).toBe(true);
  }
});

test('every call of the contract has one method, but for documents and the admin area', () => {
  const called = Object.values(calls).flatMap((methods) =>
    Object.values(methods).map(({ id }) => id),
  );
  const wanted = publicCalls(contract).map(({ operationId }) => operationId);
  expect(called).toHaveLength(new Set(called).size);
  expect(new Set(called)).toEqual(new Set(wanted.filter((id) => !withoutMethod.has(id))));
});

test('a call without a name is refused', () => {
  const { paths } = contract;
  const more = { get: { ...paths['/healthz']?.['get'], operationId: 'getMore' } };
  const grown = { ...contract, paths: { ...paths, '/more': more } } as typeof contract;
  expect(() => generatedFiles(grown)).toThrow('no method has getMore');
});

test('the client has every group of methods', () => {
  const client = new HeraldClient({ url: 'http://127.0.0.1' });
  expect(Object.keys(client)).toEqual(Object.keys(calls));
});
