/** Words of command lines and configurations as the frameworks read them. */
import { shellWord } from '../basics/shell.ts';

/** A value on the command line of a framework that reads `key=value` with hydra or OmegaConf. */
function hydraValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean' || typeof value === 'number') return numberText(value);
  if (Array.isArray(value)) return `[${value.map(hydraValue).join(',')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, one]) => `${key}:${hydraValue(one)}`)
      .join(',')}}`;
  const text = String(value);
  if (/^[\w./@%-][\w./:@%+-]*$/.test(text) && !/^(true|false|null|[-+]?[\d.]+(e[-+]?\d+)?)$/i.test(text))
    return text;
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** Python reads `0.000001`, and people 1e-6. */
function numberText(value: number | boolean): string {
  if (typeof value === 'boolean' || value === 0 || Math.abs(value) >= 1e-4) return `${value}`;
  return value.toExponential();
}

/** `key=value` words of a command. Values of the project replace those of the same key; null removes one. */
export function hydraWords(
  values: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>>,
): string[] {
  const all: Record<string, unknown> = { ...values };
  for (const [name, value] of Object.entries(overrides)) {
    // The same key may be written with and without the mark of a new one.
    for (const key of Object.keys(all)) if (bare(key) === bare(name)) delete all[key];
    if (value !== null) all[name] = value;
  }
  return Object.entries(all).map(([key, value]) => shellWord(`${key}=${hydraValue(value)}`));
}

function bare(key: string): string {
  return key.replace(/^\++/, '');
}

/** `--flag value` words; true is the flag alone, false and null leave it out. */
export function flagWords(
  values: Readonly<Record<string, unknown>>,
  overrides: Readonly<Record<string, unknown>>,
): string[] {
  const all: Record<string, unknown> = { ...values };
  for (const [name, value] of Object.entries(overrides)) all[`--${name.replace(/^--/, '')}`] = value;
  return Object.entries(all).flatMap(([flag, value]) => {
    if (value === false || value === null || value === undefined) return [];
    if (value === true) return [flag];
    const words = Array.isArray(value) ? value : [value];
    return [flag, ...words.map((one) => shellWord(typeof one === 'number' ? numberText(one) : String(one)))];
  });
}

/** Words of one command over several lines, so that people can read and compare them. */
export function commandLines(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const begins = last === undefined || word.startsWith('-') || /^\+*[\w.]+=/.test(word);
    if (begins) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.join(' \\\n  ');
}

/** A tree with the project's values in it: `a.b` is a path, null removes the key. */
export function withOverrides(
  tree: Record<string, unknown>,
  overrides: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result = structuredClone(tree);
  for (const [name, value] of Object.entries(overrides)) {
    const keys = name.split('.');
    const last = keys.pop()!;
    let at: Record<string, unknown> = result;
    for (const key of keys) {
      if (typeof at[key] !== 'object' || at[key] === null) at[key] = {};
      at = at[key] as Record<string, unknown>;
    }
    if (value === null) delete at[last];
    else at[last] = value;
  }
  return result;
}
