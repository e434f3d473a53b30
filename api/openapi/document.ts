// Generates the contract of the API, an OpenAPI 3.1 document, from the table of routes.
import type { SchemaObject } from 'ajv';
import { deliveredEventNames, type DeliveredEventName } from '../../lib/model/event-name.ts';
import { version } from '../../lib/platform/version.ts';
import type { Access } from '../access/admit.ts';
import { describeEvent, schemaOf } from '../event-types/event-catalogue.ts';
import type { OperationAnswer } from '../http/operation.ts';
import { named } from '../http/schemas.ts';
import { noFields } from '../http/validate.ts';
import type { Route } from '../route.ts';
import { answersOf } from './answers.ts';
import { Components, type Json, nameOf } from './components.ts';
import { operationIdOf } from './operation-id.ts';
import {
  deliveryHeaders,
  idempotencyKey,
  introduction,
  lastEventId,
  securitySchemes,
  tagOf,
  tags,
} from './texts.ts';

/** Returns the document. Throws if two calls have the same ID. */
export function openapiOf(routes: readonly Route[]): Json {
  const components = new Components();
  const paths: Record<string, Record<string, Json>> = {};
  const ids = new Set<string>();
  for (const line of routes) {
    const path = line.path.replaceAll(/:(\w+)/g, '{$1}');
    const described = describeCall(line, components, routes);
    if (ids.has(described.operationId)) throw new Error(`two calls are ${described.operationId}`);
    ids.add(described.operationId);
    paths[path] = { ...paths[path], [line.method]: described };
  }
  const webhooks = deliveredEventNames.map((event) => [event, describeDelivery(event, components)]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'agent-herald',
      version,
      description: introduction,
      license: { name: 'All rights reserved', identifier: 'LicenseRef-UNLICENSED' },
    },
    servers: [{ url: '/', description: 'The service that serves this document' }],
    tags,
    paths,
    webhooks: Object.fromEntries(webhooks) as Json,
    components: {
      securitySchemes,
      schemas: sorted(components.schemas),
      responses: sorted(components.responses),
      headers: sorted(components.headers),
    },
  };
}

function sorted(entries: Readonly<Record<string, Json>>): Json {
  return Object.fromEntries(Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function describeCall(line: Route, components: Components, routes: readonly Route[]) {
  const { operation } = line.handler;
  const need = needOf(line.access);
  const description = [operation.description, need]
    .filter((each) => each !== undefined)
    .join('\n\n');
  return {
    operationId: operationIdOf(line),
    tags: [tagOf(line.path)],
    summary: operation.summary,
    ...(description === '' ? {} : { description }),
    ...(line.access.kind === 'key' ? { 'x-required-scope': line.access.scope } : {}),
    security: securityOf(line.access),
    parameters: [...pathParameters(line), ...queryParameters(line, components), ...headersOf(line)],
    ...bodyOf(line, components),
    responses: answersOf(line, components, routes),
  };
}

function needOf(access: Access): string | undefined {
  if (access.kind === 'key') return `The API key needs the scope \`${access.scope}\`.`;
  if (access.kind !== 'admin') return undefined;
  if (access.needs === 'session') return 'Every signed-in admin can make this call.';
  if (access.needs === 'superuser') return 'Only superusers can make this call.';
  return `The admin needs at least the role \`${access.needs}\` in the application.`;
}

function securityOf(access: Access): Json[] {
  if (access.kind === 'key') return [{ apiKey: [] }, { bearer: [] }];
  return access.kind === 'admin' ? [{ session: [], csrfToken: [] }] : [];
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }));
}

function queryParameters({ handler }: Route, components: Components): Json[] {
  return Object.entries(handler.parameters ?? {}).map(([name, { schema }]) => {
    const { description, ...rest } = components.schema(schema);
    const shown = description === undefined ? {} : { description };
    return { name, in: 'query', ...shown, schema: rest };
  });
}

function headersOf({ handler }: Route): Json[] {
  const { takesIdempotencyKey, takesLastEventId } = handler.operation;
  return [
    ...(takesIdempotencyKey === true ? [idempotencyKey] : []),
    ...(takesLastEventId === true ? [lastEventId] : []),
  ];
}

function bodyOf({ body, handler }: Route, components: Components): Json {
  if (body === null || body === noFields) return {};
  const name = `${nameOf(handler.operation.id)}Body`;
  const schema = components.schema(named(name, body.schema));
  const required = isRequired(body.schema);
  const { example } = handler.operation;
  return { requestBody: { required, content: { 'application/json': { schema, example } } } };
}

/** Checks whether the body is required, because a field, or one of several, must be set. */
function isRequired({ required, published }: SchemaObject): boolean {
  const mandatory = (published as SchemaObject | undefined)?.['oneOf'] ?? required;
  return Array.isArray(mandatory) && mandatory.length > 0;
}

function describeDelivery(event: DeliveredEventName, components: Components): Json {
  const answer: OperationAnswer = {
    description: 'Any 2xx response confirms that the event was received.',
  };
  return {
    post: {
      operationId: `receive${nameOf(event)}`,
      tags: ['Deliveries to you'],
      summary: describeEvent(event),
      security: [],
      parameters: deliveryHeaders,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: components.schema(schemaOf(event)) } },
      },
      responses: { '2XX': answer },
    },
  };
}

export function renderOpenapi(routes: readonly Route[]): string {
  return `${JSON.stringify(openapiOf(routes), null, 2)}\n`;
}
