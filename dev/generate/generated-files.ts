// The files that are made from others in this repository.
import { readFile } from 'node:fs/promises';
import { renderOpenapi } from '../../api/openapi/document.ts';
import { routes } from '../../api/routes.ts';
import { instruments } from '../../lib/telemetry/instruments.ts';
import type { Contract } from '../client-types/contract.ts';
import { generatedFiles as clientFiles } from '../client-types/generated-files.ts';
import { toGrafana } from '../dashboards/dashboard.ts';
import { dashboards } from '../dashboards/dashboards.ts';
import { withLogTable } from '../instruments/log-table.ts';
import { withTable } from '../instruments/metrics-table.ts';
import { limitsPage } from '../limits/limits-page.ts';
import { casesFile } from '../receiver-cases/cases-file.ts';
import { optionsFile } from '../receiver-cases/options.ts';
import { typesFile } from '../receiver-types/types-file.ts';
import { formatted } from './formatted.ts';

const metricsPage = 'docs/metrics.md';
const logPage = 'docs/observing.md';
const signatureCases = 'test/unit/crypto/signature-cases.json';
const cases = 'packages/receiver-cases';
/** The Go module and each package are published alone, so they have copies. */
const casesOfGo = 'packages/receiver-go/internal/cases/testdata';
const licensed = ['cli', 'client-py', 'client-ts', 'receiver-go', 'receiver-py', 'receiver-ts'];

/** Returns the texts of all generated files but those of the Python client, by their paths. */
export async function generateFiles(): Promise<Map<string, string>> {
  const openapi = renderOpenapi(routes);
  const files = new Map<string, string>([
    ['docs/openapi.json', openapi],
    ['docs/limits.md', limitsPage()],
    [metricsPage, withTable(await readFile(metricsPage, 'utf8'), Object.values(instruments))],
    [logPage, withLogTable(await readFile(logPage, 'utf8'))],
    [
      `${cases}/deliveries.json`,
      casesFile(JSON.parse(await readFile(signatureCases, 'utf8')) as object),
    ],
    [`${cases}/options.json`, optionsFile()],
    ['packages/receiver-ts/src/events.ts', await formatted(typesFile())],
  ]);
  for (const name of ['deliveries.json', 'handling.json', 'options.json']) {
    const path = `${cases}/${name}`;
    files.set(`${casesOfGo}/${name}`, files.get(path) ?? (await readFile(path, 'utf8')));
  }
  const license = await readFile('LICENSE', 'utf8');
  for (const name of licensed) files.set(`packages/${name}/LICENSE`, license);
  for (const [name, text] of Object.entries(clientFiles(JSON.parse(openapi) as Contract)))
    files.set(`packages/client-ts/src/generated/${name}`, await formatted(text));
  for (const dashboard of dashboards) {
    const text = await formatted(JSON.stringify(toGrafana(dashboard, dashboards), null, 2), 'json');
    files.set(`deploy/grafana/dashboards/${dashboard.uid}.json`, text);
  }
  return files;
}
