// The packages, and how each is tested. A new language is one more entry.
import { prepareEnvironment, programOf, pythonNeeds, pythonProbe } from '../python/environment.ts';

export interface TestedPackage {
  /** Its folder in packages/, where its commands run, unless it has another `folder`. */
  readonly name: string;
  /** From packages/. */
  readonly folder?: string;
  /** Ends with 0 where the toolchain is there. */
  readonly probe: readonly string[];
  readonly needs: string;
  readonly prepare?: (folder: string) => Promise<void>;
  readonly tests: readonly (readonly string[])[];
  /** Whether its tests call a service: HERALD_URL, HERALD_APP_UID and HERALD_API_KEY say where. */
  readonly callsService?: true;
  /**
   * Of a receiver: prints a JSON object with what the package makes of each case of receiver-cases, by the case's
   * name and in the form of its `expect`.
   */
  readonly judge?: readonly string[];
}

const receiverPy = 'receiver-py';
const python = (...args: string[]) => [programOf(receiverPy, 'python'), ...args];
const clientPy = 'client-py';

/** The checks of a package for npm. The test file packs it and uses it in an empty folder. */
const npmPackage = (testFile: string, ...checks: string[]) => ({
  probe: [process.execPath, '--version'],
  needs: 'node',
  tests: [
    ['npm', 'run', '--silent', 'build'],
    ...['publint --strict', ...checks].map((check) => ['npx', '--no', '--', ...check.split(' ')]),
    ['npm', 'run', 'test:tools', '--prefix', '../..', '--', `test/tools/packages/${testFile}`],
  ],
});
// The packages have no form for `require`.
const typesCheck = 'attw --pack . --profile esm-only --format table-flipped';

export const testedPackages: readonly TestedPackage[] = [
  { name: 'cli', ...npmPackage('cli/command-line.test.ts') },
  { name: 'client-ts', ...npmPackage('client-ts/packed.test.ts', typesCheck) },
  {
    name: 'receiver-ts',
    ...npmPackage('receiver-ts/packed.test.ts', typesCheck),
    // From the root, to which the paths of what tests share are relative.
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
