/** Parts of addresses as they are meant: `%41` is `A`. */

/** Null: a `%` in it begins no byte, or its bytes are no text. */
export function decodedPart(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** The same for logins, which people write by hand: what cannot be decoded is meant as it stands. */
export function decodedLogin(text: string): string {
  return decodedPart(text) ?? text;
}
