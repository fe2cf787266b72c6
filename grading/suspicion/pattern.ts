/** A regular expression that matches just this text. */
export function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Words and names that a language has, with a number at their end at most: `utf-8`, `not_found`, `(no topic)`; no inputs of tests. */
export function isName(text: string): boolean {
  return /^[\W_]{0,3}[A-Za-z]+(?:[-_.][A-Za-z]+)*(?: [A-Za-z]+)?(?:[-_]?\d+){0,2}[\W_]{0,3}$/.test(text);
}
