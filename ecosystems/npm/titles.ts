/** Titles of tests and suites in the text of a file. */

const CALL =
  /\b(?:it|test|specify|describe|context|suite)(?:\.\w+)*\s*\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

export function titlesIn(text: string): Set<string> {
  const written = [...text.matchAll(CALL)].map((found) => found.slice(1).find((one) => one !== undefined)!);
  return new Set(written.map((title) => title.replaceAll(/\\(.)/g, '$1').trim()));
}

/** Whether an id, `suite > test` or `suite test`, is these titles one behind the other. */
export function isOfTitles(id: string, titles: ReadonlySet<string>): boolean {
  if (titles.has(id)) return true;
  for (const title of titles) {
    if (title === '' || !id.startsWith(title)) continue;
    const rest = /^(?: > | )(.+)$/s.exec(id.slice(title.length))?.[1];
    if (rest !== undefined && isOfTitles(rest, titles)) return true;
  }
  return false;
}
