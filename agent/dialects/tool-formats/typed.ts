/** Arguments that are written as text, by the schema of their tool. */

import { isFields, parsedJson } from '../../../basics/json.ts';
import type { ToolDefinition } from '../../policy.ts';

/** A JSON object of texts; each becomes what the schema says, or stays text where it is nothing else. */
export function typedObject(
  tools: readonly ToolDefinition[],
  name: string,
  texts: ReadonlyMap<string, string>,
): string {
  const properties = tools.find((tool) => tool.name === name)?.parameters.properties;
  const typed = [...texts].map(([key, text]) => {
    const schema = isFields(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
    return `${JSON.stringify(key)}: ${mayBeOther(schema) ? (asJson(text) ?? JSON.stringify(text)) : JSON.stringify(text)}`;
  });
  return `{${typed.join(', ')}}`;
}

/** Whether a schema allows values that are no text. What no schema describes is text. */
function mayBeOther(schema: unknown): boolean {
  if (!isFields(schema)) return false;
  const variants = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(variants)) return variants.some(mayBeOther);
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'string'];
  return types.some((type) => type !== 'string');
}

/** Models also write what Python calls these values. */
const PYTHON: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

/** A text that is JSON, as it is; null: it is none. */
function asJson(text: string): string | null {
  const trimmed = text.trim();
  if (Object.hasOwn(PYTHON, trimmed)) return PYTHON[trimmed]!;
  return parsedJson(trimmed) === undefined ? null : trimmed;
}
