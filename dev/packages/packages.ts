// The packages, and how to test each. A new language is one more entry.
import { prepareEnvironment, programOf, pythonNeeds, pythonProbe } from '../python/environment.ts';

export interface TestedPackage {
  /** Its folder in packages/. Commands run there unless `folder` is set. */
  readonly name: string;
  /** Relative to packages/. */
  readonly folder?: string;
  /** A command that ends with 0 if the toolchain is installed. */
  readonly probe: readonly string[];
  readonly needs: string;
  readonly prepare?: (folder: string) => Promise<void>;
  readonly tests: readonly (readonly string[])[];
  /** Whether its tests call a service, configured by HERALD_URL, HERALD_APP_UID and HERALD_API_KEY. */
  readonly callsService?: true;
  /**
   * For a receiver: a command that prints a JSON object with its result for each of the receiver-cases, keyed by the
   * name of the case and in the form of its `expect`.
   */
  readonly judge?: readonly string[];
}

const receiverPy = 'receiver-py';
const python = (...args: string[]) => [programOf(receiverPy, 'python'), ...args];
const clientPy = 'client-py';

/** The checks of an npm package. The test file packs it and uses it in an empty folder. */
const npmPackage = (testFile: string, ...checks: string[]) => ({
  probe: [process.execPath, '--version'],
  needs: 'node',
  tests: [
    ['npm', 'run', '--silent', 'build'],
    ...['publint --strict', ...checks].map((check) => ['npx', '--no', '--', ...check.split(' ')]),
    ['npm', 'run', 'test:tools', '--prefix', '../..', '--', `test/tools/packages/${testFile}`],
  ],
});
// The packages support only `import`, not `require`.
const typesCheck = 'attw --pack . --profile esm-only --format table-flipped';

export const testedPackages: readonly TestedPackage[] = [
  { name: 'cli', ...npmPackage('cli/command-line.test.ts') },
  { name: 'client-ts', ...npmPackage('client-ts/packed.test.ts', typesCheck) },
  { name: 'embed', ...npmPackage('embed/packed.test.ts', typesCheck) },
  {
    name: 'receiver-ts',
    ...npmPackage('receiver-ts/packed.test.ts', typesCheck),
    // From the root, because the shared paths of tests are relative to it.
    judge: ['sh', '-c', 'cd ../.. && exec node --import tsx dev/packages/judge-typescript.ts'],
  },
  {
    name: receiverPy,
    probe: pythonProbe,
    needs: pythonNeeds,
    prepare: (folder) => prepareEnvironment(receiverPy, `${folder}/requirements-dev.txt`),
    tests: pythonTests(receiverPy),
    judge: ['env', 'PYTHONPATH=src', ...python('tests/judge_cases.py')],
  },
  {
    name: 'receiver-go',
    probe: ['go', 'version'],
    needs: 'go (1.22 or newer)',
    tests: [
      ['sh', '-c', 'unformatted=$(gofmt -l .) && test -z "$unformatted"'],
      ['go', 'vet', './...'],
      ['go', 'test', './...'],
      ['./crosscheck/run.sh'],
    ],
    judge: ['go', 'run', './internal/judge'],
  },
  {
    name: clientPy,
    probe: ['python3', '-c', 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))'],
    needs: 'python3 (3.11 or newer, with venv)',
    prepare: (folder) => prepareEnvironment(clientPy, `${folder}/requirements-dev.txt`),
    callsService: true,
    tests: pythonTests(clientPy),
  },
  {
    name: 'quickstart',
    folder: '..',
    probe: ['bash', '-c', 'curl --version'],
    needs: 'bash or curl',
    tests: [[process.execPath, '--import', 'tsx', 'dev/quickstart/main.ts']],
  },
];

/** Lint, format, types and tests, in the package's environment. */
function pythonTests(name: string): string[][] {
  const python = programOf(name, 'python');
  const commands = ['ruff check .', 'ruff format --check .', 'mypy', 'pytest'];
  return commands.map((command) => [python, '-m', ...command.split(' ')]);
}
