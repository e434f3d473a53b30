// What the code must keep to: the rules of the linter, and which room may import from which.

/** The folders of lib, each with the folders that it uses. A test compares them with the imports. */
export const libRooms = {
  model: [],
  platform: ['model'],
  telemetry: ['model', 'platform'],
  concurrency: ['telemetry'],
  mongo: ['concurrency', 'model', 'platform', 'telemetry'],
  egress: ['concurrency', 'model', 'platform', 'telemetry'],
  temporal: ['concurrency', 'model', 'platform'],
  events: ['model', 'mongo', 'platform'],
  access: ['concurrency', 'egress', 'model', 'mongo', 'platform'],
  webhooks: ['access', 'concurrency', 'egress', 'model', 'mongo', 'platform'],
  identity: ['access', 'concurrency', 'model', 'mongo', 'platform', 'telemetry'],
  history: ['concurrency', 'model', 'mongo', 'platform'],
  'rate-limit': ['concurrency', 'model', 'mongo', 'platform'],
  order: ['concurrency', 'model', 'mongo', 'temporal'],
  deliveries: [
    'concurrency',
    'egress',
    'events',
    'identity',
    'model',
    'mongo',
    'order',
    'platform',
    'rate-limit',
    'telemetry',
    'temporal',
    'webhooks',
  ],
  jobs: [
    'access',
    'concurrency',
    'deliveries',
    'events',
    'model',
    'mongo',
    'order',
    'platform',
    'telemetry',
    'temporal',
    'webhooks',
  ],
  statistics: ['concurrency', 'model', 'mongo', 'platform'],
  dispatch: [
    'concurrency',
    'events',
    'jobs',
    'model',
    'mongo',
    'platform',
    'telemetry',
    'temporal',
  ],
  health: ['concurrency', 'mongo', 'platform', 'telemetry', 'temporal'],
  config: ['egress', 'model', 'platform', 'telemetry', 'webhooks'],
};
const topRooms = [
  'activities',
  'api',
  'cli',
  'console',
  'dev',
  'packages',
  'test',
  'worker',
  'workflows',
];
const domainsOfApi = [
  'accounts',
  'admin',
  'audit',
  'changes',
  'console',
  'documents',
  'event-types',
  'events',
  'health',
  'jobs',
  'openapi',
  'resources',
  'settings',
  'stats',
  'users',
  'webhooks',
];

const loadsNoWorker = { group: ['@temporalio/worker'], message: 'Only worker/ loads the worker.' };

/** Forbids the imports from `rooms`, wherever the importing file stands. */
const outside = (rooms, message) => ({ regex: `^(\\.\\./)+(${rooms.join('|')})/`, message });

/** Forbids a folder what the patterns name. Of two entries for one file the later one holds. */
const forbid = (files, ...patterns) => ({
  files: [files],
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});

const libOverrides = Object.entries(libRooms).map(([room, used]) => {
  const others = Object.keys(libRooms).filter((other) => other !== room && !used.includes(other));
  return forbid(
    `lib/${room}/**`,
    outside(
      [...others, ...topRooms],
      `lib/${room} uses lib/limits.ts and, of lib: ${used.join(', ')}.`,
    ),
    loadsNoWorker,
  );
});

const except = (...rooms) => topRooms.filter((room) => !rooms.includes(room));
const outsideApi = outside(
  except('api'),
  'The api uses lib; only api/start-api.ts starts a worker.',
);

export default {
  plugins: ['typescript', 'import', 'promise', 'node', 'unicorn', 'oxc'],
  categories: { correctness: 'error', suspicious: 'error' },
  env: { node: true, es2024: true },
  ignorePatterns: ['dist', 'node_modules', '.herald', '.cache'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'import/no-default-export': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-unassigned-import': 'off',
    'no-console': 'error',
    'no-await-in-loop': 'off',
    'no-underscore-dangle': 'off',
    'no-shadow': 'off',
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'max-params': ['error', { max: 3 }],
    'max-lines': ['error', { max: 300, skipBlankLines: false, skipComments: false }],
    'max-lines-per-function': ['error', { max: 70 }],
  },
  overrides: [
    forbid('lib/*.ts', outside(topRooms, 'lib uses none of the other rooms.'), loadsNoWorker),
    ...libOverrides,
    forbid(
      'lib/model/**',
      { regex: '^\\.\\./', message: 'lib/model imports nothing outside lib/model.' },
      {
        regex: '^[^.]',
        allowTypeImports: true,
        message: 'lib/model imports no package, but for a type it cannot do without.',
      },
    ),
    forbid('lib/limits.ts', { regex: '.', message: 'lib/limits.ts imports nothing.' }),
    forbid(
      'workflows/**',
      {
        regex: '^node:|^(fs|path|crypto|http|https|net|os|process|timers|url|util)$',
        message: 'Workflows are deterministic: no Node built-ins.',
      },
      outside(
        except('workflows', 'activities'),
        'Workflows see only lib and the types of activities.',
      ),
      {
        regex: '^\\.\\./activities/',
        allowTypeImports: true,
        message: 'Workflows see activities as types only.',
      },
    ),
    forbid('activities/**', outside(except('activities'), 'Activities use lib only.')),
    forbid(
      'worker/**',
      outside(except('worker', 'activities'), 'The worker uses lib and its activities.'),
    ),
    forbid('api/**', outsideApi, loadsNoWorker),
    forbid(
      'api/http/**',
      outside(['access', ...domainsOfApi], 'api/http knows no domain.'),
      outsideApi,
      loadsNoWorker,
    ),
    forbid(
      'api/access/**',
      outside(domainsOfApi, 'api/access comes before the routes and knows none of them.'),
      outsideApi,
      loadsNoWorker,
    ),
    { files: ['api/start-api.ts'], rules: { 'no-restricted-imports': 'off' } },
    forbid('cli/**', outside(except('cli'), 'cli uses lib only.')),
    forbid(
      'dev/servers/**',
      outside(
        except('dev'),
        'dev/servers uses lib only: the service runs as processes of its own.',
      ),
      outside(['bench', 'demo', 'start'], 'dev/servers stands below the rest of dev.'),
    ),
    forbid(
      'dev/python/**',
      outside(except('dev'), 'dev/python makes environments, and runs programs of dev/servers.'),
      outside(
        ['bench', 'demo', 'fuzz', 'packages', 'start'],
        'dev/python stands below what uses it.',
      ),
    ),
    forbid(
      'dev/start/**',
      outside(
        except('dev', 'cli', 'worker'),
        'dev/start runs the api and the worker as processes of their own.',
      ),
      outside(['bench', 'demo'], 'dev/start uses dev/servers only.'),
    ),
    forbid(
      'dev/demo/**',
      outside(except('dev', 'packages'), 'dev/demo calls the API as anybody does.'),
      outside(['bench'], 'dev/demo uses the packages, and prints.'),
    ),
    forbid(
      'dev/bench/**',
      outside(except('dev', 'worker'), 'dev/bench measures from outside, through the API.'),
      outside(['demo'], 'dev/bench uses dev/start and dev/servers only.'),
    ),
    forbid(
      'dev/fuzz/**',
      outside(except('dev'), 'dev/fuzz calls the service as anybody does.'),
      outside(
        ['bench', 'demo', 'packages'],
        'dev/fuzz uses dev/python, dev/servers and dev/start only.',
      ),
    ),
    forbid(
      'dev/deploy/**',
      outside(
        except('dev', 'packages'),
        'dev/deploy checks deploy/ by what lib, the packages and the tools say.',
      ),
      outside(
        ['bench', 'demo', 'fuzz'],
        'dev/deploy uses dev/servers, dev/start and the packages only.',
      ),
    ),
    forbid(
      'dev/alerts/**',
      outside(except('dev'), 'dev/alerts checks deploy/ by the names of lib/telemetry.'),
    ),
    forbid('dev/limits/**', outside(except('dev'), 'dev/limits uses lib/limits.ts only.')),
    forbid(
      'dev/instruments/**',
      outside(except('dev'), 'dev/instruments uses the instruments and settings of lib.'),
    ),
    forbid(
      'dev/receiver-cases/**',
      outside(
        except('dev', 'api'),
        'dev/receiver-cases takes samples from the catalogue of events.',
      ),
    ),
    forbid(
      'dev/packages/**',
      outside(
        except('dev', 'packages', 'test'),
        'dev/packages uses the packages, and the cases that tests share.',
      ),
      outside(
        ['bench', 'demo', 'fuzz'],
        'dev/packages uses dev/python, dev/servers and dev/start only.',
      ),
    ),
    forbid(
      'dev/receiver-types/**',
      outside(except('dev', 'api'), 'dev/receiver-types reads the catalogue of events.'),
    ),
    forbid(
      'dev/client-types/**',
      outside(except('dev'), 'dev/client-types reads docs/openapi.json and the names of lib.'),
    ),
    forbid(
      'packages/**',
      outside(
        ['lib', ...except('packages')],
        'A package is used without this repository: it imports nothing of it.',
      ),
    ),
    {
      files: ['console/**'],
      plugins: ['typescript', 'import', 'promise', 'unicorn', 'oxc', 'react', 'jsx-a11y'],
      env: { browser: true, node: false },
      rules: {
        'react/rules-of-hooks': 'error',
        'react/exhaustive-deps': 'error',
        'react/no-danger': 'error',
        // The compiler writes the imports of JSX.
        'react/react-in-jsx-scope': 'off',
        // What React's own compiler would need, which is not used.
        'react/purity': 'off',
        'react/set-state-in-effect': 'off',
        'react/incompatible-library': 'off',
        // Tables that become cards on a phone lose their roles without it.
        'jsx-a11y/prefer-tag-over-role': 'off',
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                regex: `^(\\.\\./)+(lib|${except('console', 'api').join('|')})/|^(\\.\\./){4}`,
                message:
                  'The console is a program of browsers: it calls the service by its client.',
              },
            ],
          },
        ],
      },
    },
    { files: ['examples/**'], rules: { 'no-console': 'off' } },
    // A table: it grows by two lines a limit. And a file that is written from the contract.
    {
      files: ['lib/limits.ts', 'oxlint.config.mjs', 'packages/client-ts/src/generated/*.ts'],
      rules: { 'max-lines': 'off' },
    },
    {
      files: ['test/**'],
      rules: {
        'max-lines-per-function': 'off',
        'max-lines': ['error', { max: 350, skipBlankLines: false, skipComments: false }],
      },
    },
    {
      files: [
        'oxlint.config.mjs',
        'jest.config.mjs',
        'console/vite.config.mjs',
        'test/runner/*.mjs',
      ],
      rules: { 'import/no-default-export': 'off' },
    },
  ],
};
