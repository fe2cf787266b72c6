/** The leaves of the project's schema: places where a value stands, keys between slashes, `*` for any key or index. */

export interface SchemaNode {
  $ref?: string;
  allOf?: SchemaNode[];
  type?: string | string[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: boolean | SchemaNode;
  items?: SchemaNode;
  definitions?: Record<string, SchemaNode>;
  'x-path'?: string;
}

/** A profile holds what a project holds, and is a leaf as a whole: it decides nothing before it is chosen. */
const WHOLE = ['profiles/*'];

export function leavesOf(schema: SchemaNode): string[] {
  return [...leafNodes(schema).keys()];
}

/** Keys whose values name files, programs or images though the schema does not call them paths. */
const NAMING =
  /(^|\/)((?<!limits\/)command|base|activate|image\/name|image\/mounts|model_args|versions|channels|serve\/args|serve\/env)(\/\*)?$/;

/** Leaves whose values name a file, a folder, a program or an image. */
export function namingLeaves(schema: SchemaNode): string[] {
  return [...leafNodes(schema)].filter(([leaf, isPath]) => isPath || NAMING.test(leaf)).map(([leaf]) => leaf);
}

/** Leaf -> whether the schema says that it is a path. */
function leafNodes(schema: SchemaNode): Map<string, boolean> {
  const found = new Map<string, boolean>();
  const definitions = schema.definitions ?? {};
  const meant = (node: SchemaNode): SchemaNode => {
    if (node.$ref !== undefined) return meant(definitions[node.$ref.split('/').at(-1)!]!);
    const [only] = node.allOf ?? [];
    return only !== undefined && node.properties === undefined ? meant(only) : node;
  };
  const isPath = (node: SchemaNode): boolean =>
    [node, meant(node), node.items, meant(node).items].some((one) => one?.['x-path'] !== undefined);
  const walk = (node: SchemaNode, place: string): void => {
    const { properties, additionalProperties: any, items } = meant(node);
    const below = (key: string) => (place === '' ? key : `${place}/${key}`);
    if (WHOLE.includes(place)) found.set(place, false);
    else if (properties !== undefined)
      for (const [key, one] of Object.entries(properties)) walk(one, below(key));
    else if (typeof any === 'object') walk(any, below('*'));
    else if (items !== undefined && meant(items).properties !== undefined) walk(items, below('*'));
    else found.set(place, isPath(node));
  };
  walk(schema, '');
  return found;
}
