// The files that are made from others in this repository.
import { readFile } from 'node:fs/promises';
import { renderOpenapi } from '../../api/openapi/document.ts';
import { routes } from '../../api/routes.ts';
import { instruments } from '../../lib/telemetry/instruments.ts';
import type { Contract } from '../client-types/contract.ts';
import { generatedFiles as clientFiles } from '../client-types/generated-files.ts';
import { withTable } from '../instruments/metrics-table.ts';
import { limitsPage } from '../limits/limits-page.ts';
import { casesFile } from '../receiver-cases/cases-file.ts';
import { optionsFile } from '../receiver-cases/options.ts';
import { typesFile } from '../receiver-types/types-file.ts';
import { formatted } from './formatted.ts';

const metricsPage = 'docs/metrics.md';
const signatureCases = 'test/unit/crypto/signature-cases.json';

/** Returns the texts of all generated files but those of the Python client, by their paths. */
export async function generateFiles(): Promise<Map<string, string>> {
  const openapi = renderOpenapi(routes);
  const files = new Map<string, string>([
    ['docs/openapi.json', openapi],
    ['docs/limits.md', limitsPage()],
    [metricsPage, withTable(await readFile(metricsPage, 'utf8'), Object.values(instruments))],
    [
      'packages/receiver-cases/deliveries.json',
      casesFile(JSON.parse(await readFile(signatureCases, 'utf8')) as object),
    ],
    ['packages/receiver-cases/options.json', optionsFile()],
    ['packages/receiver-ts/src/events.ts', await formatted(typesFile())],
  ]);
  for (const [name, text] of Object.entries(clientFiles(JSON.parse(openapi) as Contract)))
    files.set(`packages/client-ts/src/generated/${name}`, await formatted(text));
  return files;
}
