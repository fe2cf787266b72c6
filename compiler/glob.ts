/** Globs over addresses and names: `*` any text, `?` one character, everything else itself. */

const compiled = new Map<string, RegExp>();

/** True when `text` matches `glob` from end to end. */
export function matchesGlob(glob: string, text: string): boolean {
  if (!/[*?]/.test(glob)) return glob === text;
  let pattern = compiled.get(glob);
  if (pattern === undefined) {
    const body = glob
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll('*', '[^]*')
      .replaceAll('?', '[^]');
    pattern = new RegExp(`^${body}$`);
    compiled.set(glob, pattern);
  }
  return pattern.test(text);
}
