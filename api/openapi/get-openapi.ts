import { operation, type Operation } from '../http/operation.ts';
import { named, objectOf, text } from '../http/schemas.ts';
import type { Handler } from '../route.ts';
import { servedFile } from '../http/served-file.ts';

const facts: Operation = {
  id: 'getOpenapi',
  summary: 'Get the OpenAPI document',
  answers: {
    200: {
      description: 'The OpenAPI document',
      schema: named('OpenapiDocument', {
        ...objectOf<{ openapi: string }>({ openapi: text }),
        additionalProperties: true,
      }),
      headers: ['etag'],
    },
    304: { description: 'Not modified: your copy is current' },
  },
};

export const getOpenapi: Handler = operation(facts, servedFile('openapi.json', 'application/json'));
