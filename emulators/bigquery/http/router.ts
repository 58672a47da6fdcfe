/** Finds the handler of a request. Paths are BigQuery's, with or without `/bigquery/v2` before them. */
import { ApiError } from '../api-error.ts';
import type { Handler } from './request.ts';

export interface Route {
  readonly method: string;
  /** `/projects/:project/datasets/:dataset`. */
  readonly path: string;
  readonly handler: Handler;
}

interface Compiled extends Route {
  readonly parts: readonly string[];
}

const PREFIX = /^\/bigquery\/v2(?=\/|$)/;

export class Router {
  readonly #routes: readonly Compiled[];

  constructor(routes: readonly Route[]) {
    this.#routes = routes.map((route) => ({ ...route, parts: route.path.split('/').slice(1) }));
  }

  /** @throws {ApiError} 404 when no route has the path, and the method it has none for. */
  find(
    method: string,
    pathname: string,
  ): { readonly handler: Handler; readonly params: Readonly<Record<string, string>> } {
    const parts = pathname.replace(PREFIX, '').split('/').slice(1).map(decode);
    if (parts.at(-1) === '') parts.pop();
    const matching = this.#routes.filter((route) => matches(route.parts, parts));
    const route = matching.find((candidate) => candidate.method === method);
    if (!route) {
      throw new ApiError(
        'notFound',
        matching.length > 0
          ? `Method ${method} is not allowed on ${pathname.slice(0, 200)}`
          : `Not found: ${pathname.slice(0, 200)} is no path of this local BigQuery server`,
      );
    }
    const params: Record<string, string> = {};
    route.parts.forEach((part, index) => {
      if (part.startsWith(':')) params[part.slice(1)] = parts[index] ?? '';
    });
    return { handler: route.handler, params };
  }
}

function matches(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((part, index) => (part.startsWith(':') ? parts[index] !== '' : part === parts[index]))
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new ApiError('invalid', `Invalid path: ${part.slice(0, 100)}`);
  }
}
