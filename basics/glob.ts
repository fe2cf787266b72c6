/** Globs over names: `*` any characters (also /), `?` one, `[abc]` `[!abc]` one of a set, `{a,b}` alternatives. */

/** What is wrong with a glob, or null. */
export function globProblem(glob: string): string | null {
  const built = build(glob);
  return typeof built === 'string' ? null : built.problem;
}

/** A regular expression that matches the same names; a glob with a problem matches only itself. */
export function globToRegExp(glob: string): RegExp {
  const built = build(glob);
  return new RegExp(`^(?:${typeof built === 'string' ? built : literal(glob)})$`, 'su');
}

/** True for a glob that matches one name only. */
export function isLiteral(glob: string): boolean {
  return !/[*?[\]{}\\]/.test(glob);
}

function build(glob: string): string | { problem: string } {
  let pattern = '';
  let open = 0;
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at]!;
    if (character === '*') pattern += glob[at - 1] === '*' ? '' : '.*';
    else if (character === '?') pattern += '.';
    else if (character === '[') {
      const end = glob.indexOf(']', at + 2);
      if (end < 0) return { problem: '"[" is not closed' };
      const set = bracket(glob.slice(at + 1, end));
      if (set === null) return { problem: `"${glob.slice(at, end + 1)}" is not a set of characters` };
      pattern += set;
      at = end;
    } else if (character === '{') {
      open++;
      pattern += '(?:';
    } else if (character === '}') {
      if (open === 0) return { problem: '"}" closes nothing' };
      open--;
      pattern += ')';
    } else if (character === ',' && open > 0) pattern += '|';
    else if (character === '\\') {
      at++;
      if (at === glob.length) return { problem: 'it ends with "\\"' };
      pattern += literal(glob[at]!);
    } else pattern += literal(character);
  }
  return open > 0 ? { problem: '"{" is not closed' } : pattern;
}

function bracket(inside: string): string | null {
  const negated = inside.startsWith('!') || inside.startsWith('^');
  const set = (negated ? inside.slice(1) : inside).replace(/[\\\]^[&~|]/g, '\\$&');
  const pattern = `[${negated ? '^' : ''}${set}]`;
  try {
    new RegExp(pattern, 'u');
    return set === '' ? null : pattern;
  } catch {
    return null;
  }
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

const compiled = new Map<string, RegExp>();

/** A glob that matches just this text. */
export function literalGlob(text: string): string {
  return text.replace(/[*?[\]{},\\]/g, '\\$&');
}

/** True when `glob` matches all of `text`. */
export function matchesGlob(glob: string, text: string): boolean {
  if (isLiteral(glob)) return glob === text;
  let pattern = compiled.get(glob);
  if (pattern === undefined) {
    pattern = globToRegExp(glob);
    compiled.set(glob, pattern);
  }
  return pattern.test(text);
}
