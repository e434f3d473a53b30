// GET /docs, GET /docs/scalar.js: the contract as pages, in which calls can be tried (docs/reference/README.md).
import { operation, type Operation } from '../http/operation.ts';
import { text } from '../http/schemas.ts';
import type { ApiAnswer, Handler } from '../router.ts';
import { servedFile } from '../http/served-file.ts';

const unchanged = { 304: { description: 'It is the one that you have' } };

const factsOfPage: Operation = {
  id: 'getReference',
  summary: 'Shows the contract as pages, in which calls can be tried',
  answers: {
    200: { description: 'The page', schema: text, contentType: 'text/html', headers: ['etag'] },
    ...unchanged,
  },
};

const factsOfScript: Operation = {
  id: 'getReferenceScript',
  summary: 'The program of the pages',
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

// The script makes its styles when it runs. It may call this service, and nobody else.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const readPage = servedFile('reference/index.html', 'text/html; charset=utf-8');
const readScript = servedFile('reference/scalar.js.gz', 'text/javascript; charset=utf-8');

function withHeaders(answer: ApiAnswer, headers: Record<string, string>): ApiAnswer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

export const getReference: Handler = operation(factsOfPage, async () =>
  withHeaders(await readPage(), { 'content-security-policy': policy }),
);

/** Every browser takes gzip. */
export const getReferenceScript: Handler = operation(factsOfScript, async () =>
  withHeaders(await readScript(), { 'content-encoding': 'gzip' }),
);
