/** JSON that was written elsewhere, or cut short by a kill: text that is no JSON is an answer, and no error. */

/** The value of the text; undefined: it is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object of the text; null: it is no JSON, or another value, such as a list. Its members are not looked at. */
export function jsonObject<T extends object = Record<string, unknown>>(text: string): T | null {
  const value = parsedJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as T) : null;
}
