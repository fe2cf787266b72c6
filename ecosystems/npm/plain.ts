/** The text of JavaScript as patterns expect it: one way to write what has several. The lines are as many as before. */

/** Objects whose parts patterns name. */
const WATCHED = [
  'process',
  'module',
  'require',
  'globalThis',
  'global',
  'window',
  'self',
  'Error',
  'Module',
  'expect',
];
const NAMES = WATCHED.join('|');
const OPTIONAL = /\?\.(?=[[(])/g;
const OPTIONAL_NAME = /\?\.(?=[A-Za-z_$#])/g;
/** Two texts that are put together on a line. */
const JOINED = /(["'`])([^"'`\\\n$]{0,200})\1[^\S\n]{0,9}\+[^\S\n]{0,9}(["'`])([^"'`\\\n$]{0,200})\3/g;
const MOST_JOINS = 5;
/** `x['name']` */
const INDEXED = /(?<=[\w$)\]])\[[^\S\n]{0,9}(["'`])([A-Za-z_$][\w$]{0,60})\1[^\S\n]{0,9}\]/g;
/** `const { a, b: c } = process`, and the same of a module of Node's own. */
const TAKEN = new RegExp(
  String.raw`\{([^{}]{1,300})\}\s{0,9}=\s{0,9}((?:${NAMES})(?:\.\w{1,30}){0,2})(?![\w.(\[])`,
  'g',
);
const IMPORTED = /\bimport\b[^;{}"'`]{0,99}\{([^{}]{1,300})\}\s{0,9}from\s{0,9}["'`](?:node:)?process["'`]/g;
/** Another name for one of them. */
const RENAMED = new RegExp(
  String.raw`\b(?:const|let|var)\s{1,9}([\w$]{1,60})\s{0,9}=\s{0,9}(${NAMES})\s{0,9}(?=[;,\n])`,
  'g',
);
const MOST_NAMES = 50;

export function plainScript(text: string): string {
  let plain = text.replace(OPTIONAL, '').replace(OPTIONAL_NAME, '.');
  for (let time = 0; time < MOST_JOINS; time += 1) {
    const joined = plain.replace(
      JOINED,
      (_, quote: string, first: string, __, second: string) => `${quote}${first}${second}${quote}`,
    );
    if (joined === plain) break;
    plain = joined;
  }
  plain = plain.replace(INDEXED, (_, __, name: string) => `.${name}`);
  const renamed = new Map<string, string>();
  const rename = (own: string, name: string) => {
    if (renamed.size < MOST_NAMES && !WATCHED.includes(own)) renamed.set(own, name);
  };
  for (const [, own = '', name = ''] of plain.matchAll(RENAMED)) rename(own, name);
  const taken = [
    ...[...plain.matchAll(TAKEN)].map(([, names = '', from = '']) => partsOf(names, from)),
    ...[...plain.matchAll(IMPORTED)].map(([, names = '']) => partsOf(names, 'process')),
  ];
  for (const { own, name } of taken.flat()) rename(own, name);
  if (renamed.size > 0)
    plain = plain.replace(/(?<![\w$.])([\w$]{1,60})(?=[.[])/g, (own: string) => renamed.get(own) ?? own);
  const named = (names: string, from: string) =>
    partsOf(names, from)
      .map(({ name }) => `; ${name} ;`)
      .join(' ');
  return plain
    .replace(TAKEN, (found, names: string, from: string) => `${found} ${named(names, from)}`)
    .replace(IMPORTED, (found, names: string) => `${found} ${named(names, 'process')}`);
}

/** `a, b: c` and `a as b` of `x`: what each stands for. */
function partsOf(names: string, from: string): { own: string; name: string }[] {
  return names.split(',').flatMap((one) => {
    const [, name, own = name] =
      /^\s*([A-Za-z_$][\w$]*)(?:\s*(?::|\bas\b)\s*([A-Za-z_$][\w$]*))?/.exec(one) ?? [];
    return name === undefined ? [] : [{ own: own!, name: `${from}.${name}` }];
  });
}
