// The IDs of calls. They name the methods of clients, and links refer to them.
import type { Route } from '../route.ts';

/** Calls of the admin area that share a handler with calls of an application get a distinct ID. */
export function operationIdOf({ id, path, handler }: Route): string {
  const own = id ?? handler.operation.id;
  return path.startsWith('/admin/api/')
    ? `admin${own.charAt(0).toUpperCase()}${own.slice(1)}`
    : own;
}
