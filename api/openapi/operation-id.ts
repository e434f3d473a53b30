// The names of calls, by which clients have methods and links find them.
import type { Route } from '../router.ts';

/** Calls of the admin area that share their handlers with an application's are told apart by their ids. */
export function operationIdOf({ id, path, handler }: Route): string {
  const own = id ?? handler.operation.id;
  return path.startsWith('/admin/api/')
    ? `admin${own.charAt(0).toUpperCase()}${own.slice(1)}`
    : own;
}
