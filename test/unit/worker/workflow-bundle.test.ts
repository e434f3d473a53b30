// The cost of a workflow: the modules of the bundle, how often they are evaluated, and no state in them.
import assert from 'node:assert';
import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { bundleWorkflows } from '../../../worker/bundle-workflows.ts';

const codeBytesMax = 650_000;
const modulesMax = 120;

let code: string;
let files: string[];

beforeAll(async () => {
  const bundle = await bundleWorkflows();
  const [text = '', map = ''] = bundle.code.split(/^\/\/# sourceMappingURL=.*;base64,/m);
  code = text;
  const { sources } = JSON.parse(Buffer.from(map, 'base64').toString()) as { sources: string[] };
  files = sources.filter((source) => existsSync(source));
});

test('the bundle is small, and contains only packages of the workflow SDK', () => {
  const packages = files.flatMap((file) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
    return name ?? [];
  });
  expect([...new Set(packages)].toSorted()).toEqual([
    '@temporalio/common',
    '@temporalio/workflow',
    'long',
    'ms',
    'nexus-rpc',
  ]);
  expect(files.length).toBeLessThanOrEqual(modulesMax);
  expect(Buffer.byteLength(code)).toBeLessThanOrEqual(codeBytesMax);
});

test('a workflow evaluates no module', () => {
  const evaluated: Record<string, unknown> = {};
  const globals = { assert, AsyncLocalStorage, TextEncoder, TextDecoder, URL, URLSearchParams };
  const context = createContext({ ...globals, __webpack_module_cache__: evaluated });
  runInContext(`${code}; __TEMPORAL__.preloadModules()`, context);
  const once = Object.keys(evaluated);
  runInContext('__TEMPORAL__.importWorkflows()', context);
  expect(Object.keys(evaluated)).toEqual(once);
  expect(once).toContain('./workflows/deliver-events.ts');
});

test('no module keeps state from one workflow to the next', () => {
  const own = files.filter((file) => !file.includes('node_modules'));
  expect(own.map((file) => relative('.', file))).toContain('workflows/deliver-events.ts');
  const state = /^(?:export )?(?:(?:let|var)\b|const [^=]*= (?:new \w+(?:<.*>)?\(\)|\[\]|\{\});)/m;
  expect(own.filter((file) => state.test(readFileSync(file, 'utf8')))).toEqual([]);
});
