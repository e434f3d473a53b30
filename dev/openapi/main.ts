// `npm run openapi`: writes the contract of the API to docs/openapi.json.
import { writeFile } from 'node:fs/promises';
import { renderOpenapi } from '../../api/openapi/document.ts';
import { routes } from '../../api/routes.ts';

await writeFile(new URL('../../docs/openapi.json', import.meta.url), renderOpenapi(routes));
