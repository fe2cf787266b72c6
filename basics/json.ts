/** JSON that was written elsewhere, or cut short by a kill: text that is no JSON is an answer, and no error. */

/** The value of the text; undefined: it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of the text; the text itself where it is no JSON. */
export function jsonOrText(text: string): unknown {
  const value = parsedJson(text);
  return value === undefined ? text : value;
}

/** The object of the text; null: it is no JSON, or another value, such as a list. Its members are not looked at. */
export function jsonObject<T extends object = Fields>(text: string): T | null {
  const value = parsedJson(text);
  return isFields(value) ? (value as T) : null;
}

/** An object with any members. */
export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value itself, or an object without members where it is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
