// GET /docs, GET /docs/scalar.js: the contract as a page on which calls can be tried (docs/reference/README.md).
import { createHash } from 'node:crypto';
import { operation, type Operation } from '../http/operation.ts';
import { text } from '../http/schemas.ts';
import type { ApiAnswer, Handler } from '../route.ts';
import { servedFile } from '../http/served-file.ts';

const unchanged = { 304: { description: 'Not modified: your copy is current' } };

const factsOfPage: Operation = {
  id: 'getReference',
  summary: 'Get the API reference',
  description: 'The page shows the OpenAPI document. You can try calls in it.',
  answers: {
    200: { description: 'The page', schema: text, contentType: 'text/html', headers: ['etag'] },
    ...unchanged,
  },
};

const factsOfScript: Operation = {
  id: 'getReferenceScript',
  summary: 'Get the script of the API reference',
  answers: {
    200: {
      description: 'The script',
      schema: text,
      contentType: 'text/javascript',
      headers: ['etag'],
    },
    ...unchanged,
  },
};

// Most of the scripts are third-party. They create styles at runtime, and may call only this service. The sandbox gives
// them an origin of their own and no cookies, so that they cannot reach the session or the pages of the console.
const policyWith = (hash: string): string =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'sandbox allow-scripts allow-forms allow-downloads',
  ].join('; ');

const readPage = servedFile('reference/index.html', 'text/html; charset=utf-8');
const readScript = servedFile('reference/scalar.js.gz', 'text/javascript; charset=utf-8');

function withHeaders(answer: ApiAnswer, headers: Record<string, string>): ApiAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Returns the digest of the script that is embedded in the page. */
function hashOfInline({ content }: ApiAnswer): string {
  const page = content?.bytes instanceof Buffer ? content.bytes.toString() : '';
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(page) ?? [];
  return createHash('sha256').update(script).digest('base64');
}

export const getReference: Handler = operation(factsOfPage, async () => {
  const page = await readPage();
  return withHeaders(page, { 'content-security-policy': policyWith(hashOfInline(page)) });
});

/** Always gzip, which every browser accepts. */
export const getReferenceScript: Handler = operation(factsOfScript, async () =>
  withHeaders(await readScript(), { 'content-encoding': 'gzip' }),
);
