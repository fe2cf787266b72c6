/** Options of runners in commands, and the settings that stand in them. */
import { type Literal, literalsIn } from './literals.ts';

/** Options of commands by the key that says the same. */
const OPTIONS: readonly [option: RegExp, key: string][] = [
  [/^(?:-r|--require|--import|--loader|--experimental-loader|--file|--before|--after)$/, 'require'],
  [
    /^(?:-c|-P|--config|--config-file|--opts|--preset|--projects?|--workspace|--package|--nycrc-path|--tsconfig|--(?:ts-?)?node-project)$/,
    'config',
  ],
  [
    /^(?:-R|--reporters?|--test-reporter|-u|--ui|--env|--(?:test-?|snapshot-?)?environment|--(?:test-?)?runner)$/i,
    'runner',
  ],
  [
    /^--(?:setup-?files(?:-?after-?env)?|global-?(?:setup|teardown)|test-global-setup|transform|resolver|snapshot-?serializers|(?:test-?)?sequencer|test-?results-?processor|env-file(?:-if-exists)?|filter|diff|presets|plugins|(?:coverage\.)?custom-?provider-?module)$/i,
    'setupFiles',
  ],
  [/^--(?:spec|test-?match)$/i, 'spec'],
];
/** Options after which several values may stand. */
const LISTS =
  /^--(?:projects|setup-?files(?:-?after-?env)?|reporters|snapshot-?serializers|spec|test-?match)$/i;

/** The values of options, `--require x`, `--require=x,y`, also inside of quotes. */
export function optionsIn(text: string): Literal[] {
  const words = text.split(/[\s'"`]+/);
  return words.flatMap((word, at) => {
    const [, name = word, own] = /^(-[\w.-]+)=(.*)$/s.exec(word) ?? [];
    const key = OPTIONS.find(([option]) => option.test(name))?.[1];
    if (key === undefined) return [];
    const values = own === undefined ? words.slice(at + 1, at + 2) : [own];
    for (let next = at + 2; LISTS.test(name) && own === undefined && next < at + 10; next += 1) {
      if (words[next] === undefined || /^[-;&|]/.test(words[next]!)) break;
      values.push(words[next]!);
    }
    return values.flatMap((value) => value.split(',').map((one) => ({ text: one, keys: [key] })));
  });
}

/** Of settings that stand in the command itself, as `--config='{"setupFiles": ["./a.js"]}'`. */
export async function settingsWithin(text: string): Promise<Literal[]> {
  const found: Literal[] = [];
  for (const [, , json] of text.matchAll(/-(?:c|-config|-projects)[=\s]\s{0,9}(['"])(\{[^\n]{0,5000}?\})\1/g))
    found.push(...(await literalsIn('options.json', json!.replaceAll('\\"', '"'))));
  return found;
}
