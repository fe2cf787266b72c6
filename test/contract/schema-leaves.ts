/** The leaves of the project's schema: places where a value stands, keys between slashes, `*` for any key or index. */

export interface SchemaNode {
  $ref?: string;
  allOf?: SchemaNode[];
  type?: string | string[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: boolean | SchemaNode;
  items?: SchemaNode;
  definitions?: Record<string, SchemaNode>;
}

/** A profile holds what a project holds, and is a leaf as a whole: it decides nothing before it is chosen. */
const WHOLE = ['profiles/*'];

export function leavesOf(schema: SchemaNode): string[] {
  const definitions = schema.definitions ?? {};
  const meant = (node: SchemaNode): SchemaNode => {
    if (node.$ref !== undefined) return meant(definitions[node.$ref.split('/').at(-1)!]!);
    const [only] = node.allOf ?? [];
    return only !== undefined && node.properties === undefined ? meant(only) : node;
  };
  const walk = (node: SchemaNode, place: string): string[] => {
    const { properties, additionalProperties: any, items } = meant(node);
    const below = (key: string) => (place === '' ? key : `${place}/${key}`);
    if (WHOLE.includes(place)) return [place];
    if (properties !== undefined)
      return Object.entries(properties).flatMap(([key, one]) => walk(one, below(key)));
    if (typeof any === 'object') return walk(any, below('*'));
    if (items !== undefined && meant(items).properties !== undefined) return walk(items, below('*'));
    return [place];
  };
  return walk(schema, '');
}
