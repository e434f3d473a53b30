// The files that are generated from others in this repository.
import { readFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { renderOpenapi } from '../../api/openapi/document.ts';
import { routes } from '../../api/routes.ts';
import { instruments } from '../../lib/telemetry/instruments.ts';
import type { Contract } from '../client-types/contract.ts';
import { generatedFiles as clientFiles } from '../client-types/generated-files.ts';
import { withLogTable } from '../instruments/log-table.ts';
import { withTable } from '../instruments/metrics-table.ts';
import { settingFiles } from '../instruments/settings.ts';
import { limitsPage } from '../limits/limits-page.ts';
import { toCase } from '../receiver-cases/draft.ts';
import { good } from '../receiver-cases/good.ts';
import { hostile } from '../receiver-cases/hostile.ts';
import { readResults, withResults } from '../reliability/reliability-page.ts';
import { typesFile } from '../receiver-types/types-file.ts';

const metricsPage = 'docs/metrics.md';
const logPage = 'docs/observing.md';
const reliabilityPage = 'docs/reliability.md';
const signatureCases = 'test/unit/crypto/signature-cases.json';
const cases = 'packages/receiver-cases';
/** The Go module and each package are published separately, so they have copies. */
const casesOfGo = 'packages/receiver-go/internal/cases/testdata';
const licensed = ['cli', 'client-py', 'client-ts', 'receiver-go', 'receiver-py', 'receiver-ts'];

/** Returns the texts of all generated files by path, except those of the Python client. */
export async function generateFiles(): Promise<Map<string, string>> {
  const openapi = renderOpenapi(routes);
  const files = new Map<string, string>([
    ['docs/openapi.json', openapi],
    ['docs/limits.md', limitsPage()],
    [metricsPage, withTable(await readFile(metricsPage, 'utf8'), Object.values(instruments))],
    [logPage, withLogTable(await readFile(logPage, 'utf8'))],
    [reliabilityPage, withResults(await readFile(reliabilityPage, 'utf8'), await readResults())],
    [`${cases}/deliveries.json`, await casesFile()],
    ['packages/receiver-ts/src/events.ts', await formatted(typesFile())],
  ]);
  for (const [path, update] of Object.entries(settingFiles))
    files.set(path, await update(await readFile(path, 'utf8')));
  for (const name of ['deliveries.json', 'handling.json', 'key-sets.json', 'options.json']) {
    const path = `${cases}/${name}`;
    files.set(`${casesOfGo}/${name}`, files.get(path) ?? (await readFile(path, 'utf8')));
  }
  const license = await readFile('LICENSE', 'utf8');
  for (const name of licensed) files.set(`packages/${name}/LICENSE`, license);
  files.set('packages/client-ts/src/generated/version.ts', await versionFile('client-ts'));
  for (const [name, text] of Object.entries(clientFiles(JSON.parse(openapi) as Contract)))
    files.set(`packages/client-ts/src/generated/${name}`, await formatted(text));
  return files;
}

/** Returns the public vectors, then the cases. */
async function casesFile(): Promise<string> {
  const vectors = JSON.parse(await readFile(signatureCases, 'utf8')) as object;
  const deliveries = [...good, ...hostile].map(toCase);
  return `${JSON.stringify({ ...vectors, deliveries }, null, 2)}\n`;
}

async function versionFile(name: string): Promise<string> {
  const text = await readFile(`packages/${name}/package.json`, 'utf8');
  const { version } = JSON.parse(text) as { version: string };
  return `// Written by \`npm run generate\` from package.json.\nexport const version = '${version}';\n`;
}

/** Formats TypeScript as the repository does. */
async function formatted(source: string): Promise<string> {
  return format(source, { ...(await resolveConfig('package.json')), parser: 'typescript' });
}
