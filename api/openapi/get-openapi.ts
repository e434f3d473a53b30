import { operation, type Operation } from '../http/operation.ts';
import { named, objectOf, text } from '../http/schemas.ts';
import type { Handler } from '../router.ts';
import { servedFile } from '../http/served-file.ts';

const facts: Operation = {
  id: 'getOpenapi',
  summary: 'Shows this contract',
  answers: {
    200: {
      description: 'The OpenAPI document',
      schema: named('OpenapiDocument', {
        ...objectOf<{ openapi: string }>({ openapi: text }),
        additionalProperties: true,
      }),
      headers: ['etag'],
    },
    304: { description: 'It is the one that you have' },
  },
};

export const getOpenapi: Handler = operation(facts, servedFile('openapi.json', 'application/json'));
