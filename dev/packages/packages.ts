// The packages, and how each is tested. A new language is one more entry.
import { preparePython, pythonOfTests } from './python.ts';

export interface TestedPackage {
  /** Its folder in packages/, where its commands run. */
  readonly name: string;
  /** Ends with 0 where the toolchain is there. */
  readonly probe: readonly string[];
  readonly needs: string;
  readonly prepare?: (folder: string) => Promise<void>;
  readonly tests: readonly (readonly string[])[];
  /**
   * Prints a JSON object with what the package makes of each case of receiver-cases, by the case's name and in the
   * form of its `expect`.
   */
  readonly judge: readonly string[];
}

const python = (...args: string[]) => [pythonOfTests, ...args];

export const testedPackages: readonly TestedPackage[] = [
  {
    name: 'receiver-ts',
    probe: [process.execPath, '--version'],
    needs: 'node',
    // Its tests are files of `npm test`.
    tests: [],
    // From the root, to which the paths of what tests share are relative.
    judge: ['sh', '-c', 'cd ../.. && exec node --import tsx dev/packages/judge-typescript.ts'],
  },
  {
    name: 'receiver-py',
    probe: ['python3', '-c', 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))'],
    needs: 'python3 (3.10 or newer, with venv)',
    prepare: preparePython,
    tests: [
      python('-m', 'ruff', 'check', '.'),
      python('-m', 'ruff', 'format', '--check', '.'),
      python('-m', 'mypy'),
      python('-m', 'pytest'),
    ],
    judge: ['env', 'PYTHONPATH=src', ...python('tests/judge_cases.py')],
  },
];
