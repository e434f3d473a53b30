// Links from a call that creates something to the calls that take its uid.
import type { SchemaObject } from 'ajv';
import type { OperationAnswer } from '../http/operation.ts';
import type { Route } from '../route.ts';
import type { Json } from './components.ts';
import { operationIdOf } from './operation-id.ts';

/** Returns the links of a response with a `Location`: the calls below that path. */
export function linksOf(line: Route, answer: OperationAnswer, routes: readonly Route[]): Json {
  if (line.method !== 'post' || answer.schema === undefined) return {};
  const start = `${line.path}/:`;
  const links = routes
    .filter(({ path }) => path.startsWith(start) && !path.slice(start.length).includes(':'))
    .map((called) => {
      const uid = /^\w+/.exec(called.path.slice(start.length))?.[0] ?? '';
      const given = parametersOf(line.path).map((name) => [name, `$request.path.${name}`]);
      const made = [uid, `$response.body#/${fieldOf(answer.schema ?? {}, uid)}`];
      const parameters = Object.fromEntries([...given, made]) as Json;
      const operationId = operationIdOf(called);
      return [operationId, { operationId, parameters }];
    });
  return links.length === 0 ? {} : { links: Object.fromEntries(links) as Json };
}

function parametersOf(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** Members are identified by the admin. Everything else has a `uid`. */
function fieldOf({ properties }: SchemaObject, parameter: string): string {
  return Object.hasOwn(properties as Json, parameter) ? parameter : 'uid';
}
