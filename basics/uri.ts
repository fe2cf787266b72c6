/** Decodes parts of URLs: `%41` is `A`. */

/** Null: no two hex digits follow a `%`, or the bytes are not UTF-8. */
export function decodedPart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** The same for logins, which people write by hand. A login that cannot be decoded stays as it is. */
export function decodedLogin(text: string): string {
  return decodedPart(text) ?? text;
}
