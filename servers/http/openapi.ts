/** The OpenAPI description of a server's routes. */
import type { Json } from '../../basics/canonical.ts';
import type { Route } from './route.ts';

const REFUSED: Json = {
  type: 'object',
  required: ['ok', 'error', 'error_code', 'retryable'],
  properties: {
    ok: { const: false },
    error: { type: 'string' },
    error_code: { type: 'string' },
    retryable: { type: 'boolean' },
    reward: { type: 'null' },
  },
};

export function openApi(title: string, version: string, routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title, version },
    paths,
    components: {
      schemas: { Refused: REFUSED },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function operation(route: Route): Json {
  const { path, summary, access, answer } = route;
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const content = contentOf(route);
  return {
    summary,
    security: access === 'open' ? [{}, { token: [] }] : [{ token: [] }],
    ...(names.length === 0
      ? {}
      : {
          parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
        }),
    ...(content === null ? {} : { requestBody: { required: true, content } }),
    responses: {
      200: { description: 'what was asked for', content: { 'application/json': { schema: answer } } },
      default: {
        description: 'a refusal or a fault',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refused' } } },
      },
    },
  };
}

/** Null: it takes no body. */
function contentOf(route: Route): Record<string, Json> | null {
  switch (route.method) {
    case 'get':
      return null;
    case 'post':
      return { 'application/json': { schema: route.body } };
    case 'put':
      return { [route.bytes]: { schema: { type: 'string' } } };
  }
}
