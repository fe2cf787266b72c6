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
    security: [{}, { token: [] }],
  };
}

function operation({ path, summary, body, answer }: Route): Json {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const type = body === 'bytes' ? 'application/octet-stream' : 'application/json';
  const schema = body === 'bytes' ? { type: 'string' } : body;
  return {
    summary,
    ...(names.length === 0
      ? {}
      : {
          parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
        }),
    ...(schema === undefined ? {} : { requestBody: { required: true, content: { [type]: { schema } } } }),
    responses: {
      200: { description: 'what was asked for', content: { 'application/json': { schema: answer } } },
      default: {
        description: 'a refusal or a fault',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Refused' } } },
      },
    },
  };
}
