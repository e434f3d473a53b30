import { expect, test } from 'vitest';
import { callsOf, readContract, twinOf } from '../../../../dev/client-types/contract.ts';
import { withoutMethod } from '../../../../dev/client-types/method-names.ts';
import { generatedFiles } from '../../../../dev/client-types/generated-files.ts';
import { HeraldClient } from '../../../../packages/client-ts/src/client.ts';
import { HeraldAdminClient } from '../../../../packages/client-ts/src/admin-client.ts';
import {
  adminAppCalls,
  adminCalls,
} from '../../../../packages/client-ts/src/generated/admin-calls.ts';
import { calls } from '../../../../packages/client-ts/src/generated/calls.ts';

const contract = readContract();

test('every call of the contract has one method, except for documents', () => {
  const called = [calls, adminAppCalls, adminCalls].flatMap((table) =>
    Object.values<Record<string, { id: string }>>(table).flatMap((methods) =>
      Object.values(methods).map(({ id }) => id),
    ),
  );
  const all = callsOf(contract);
  const wanted = all
    .filter((call) => twinOf(call, all) === undefined)
    .map(({ operationId }) => operationId);
  expect(called).toHaveLength(new Set(called).size);
  expect(new Set(called)).toEqual(new Set(wanted.filter((id) => !withoutMethod.has(id))));
});

test('a call without a name is rejected', () => {
  const { paths } = contract;
  const more = { get: { ...paths['/healthz']?.['get'], operationId: 'getMore' } };
  const grown = { ...contract, paths: { ...paths, '/more': more } } as typeof contract;
  expect(() => generatedFiles(grown)).toThrow('no method has getMore');
});

test('the client has every group of methods', () => {
  const client = new HeraldClient({ url: 'http://127.0.0.1' });
  expect(Object.keys(client)).toEqual(Object.keys(calls));
});

test('a call of an application that admins also have differs only in its path', () => {
  const all = callsOf(contract);
  const client = new HeraldAdminClient({ url: 'http://127.0.0.1', csrfToken: () => null });
  const groups = { ...calls, ...adminAppCalls };
  const ids = all.filter((call) => twinOf(call, all)).map((call) => twinOf(call, all)?.operationId);
  const methods = Object.entries<Record<string, { id: string }>>(groups).flatMap(([group, table]) =>
    Object.entries(table)
      .filter(([, { id }]) => ids.includes(id) || id.startsWith('admin'))
      .map(([name]) => `${group}.${name}`),
  );
  const made = Object.entries(client.app('app_1')).flatMap(([group, table]) =>
    Object.keys(table as object).map((name) => `${group}.${name}`),
  );
  expect(made).toEqual(methods);
  expect(Object.keys(client)).toEqual(Object.keys(adminCalls));
  const facts = ['requestBody', 'parameters'] as const;
  for (const call of all) {
    const twin = twinOf(call, all);
    for (const fact of twin ? facts : []) expect(call[fact]).toEqual(twin?.[fact]);
  }
});
