/**
 * Each command has one description. Its arguments are parsed by it and its help is written from it, so the two cannot
 * disagree. Wrong usage is a value: the command prints it and ends with code 2.
 */
import { parseArgs } from 'node:util';
import type { CommandIo } from '../app/io.ts';
import { shown } from '../app/shown.ts';
import { shellWord } from '../basics/shell.ts';
import { closest } from '../basics/suggest.ts';

interface OptionSpec {
  type: 'string' | 'boolean';
  /** May be given more than once; the value is a list. */
  multiple?: boolean;
  /** One letter. */
  short?: string;
  /** Name of the value in the help, such as FILE. */
  placeholder?: string;
  description: string;
}

/** An option with a value. */
export function option(placeholder: string, description: string) {
  return { type: 'string', placeholder, description } as const;
}

interface PositionalSpec {
  /** Name in the help, such as FILE. */
  name: string;
  description: string;
  /** At least one must be given. */
  required?: boolean;
  /** Takes all that are left. */
  multiple?: boolean;
}

export interface CommandSpec {
  name: string;
  summary: string;
  positionals: readonly PositionalSpec[];
  options: Readonly<Record<string, OptionSpec>>;
  /** Whole command lines, each with what it is for. */
  examples: readonly (readonly [line: string, what: string])[];
}

type OptionValue<O extends OptionSpec> = O['type'] extends 'boolean'
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : string | undefined;

/** Booleans are false and lists are empty when an option is not given. */
export type OptionValues<S extends CommandSpec> = { [K in keyof S['options']]: OptionValue<S['options'][K]> };

export interface UsageError {
  kind: 'usage';
  message: string;
  remedy: string;
}

export type Parsed<S extends CommandSpec> =
  | { kind: 'run'; values: OptionValues<S>; positionals: string[] }
  | { kind: 'help'; text: string }
  | UsageError;

const HELP: OptionSpec = { type: 'boolean', short: 'h', description: 'show this help' };

/** Reads `args` (without the command's own name) as `spec` says. */
export function parseCommand<const S extends CommandSpec>(spec: S, args: string[]): Parsed<S> {
  const options: Record<string, OptionSpec> = { ...spec.options, help: HELP };
  const { tokens } = parseArgs({
    args,
    options: parserOptions(options),
    strict: false,
    tokens: true,
  });
  const values = emptyValues(spec.options);
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') {
      const isAlone = tokens.filter(({ kind }) => kind === 'positional').length === 1;
      if (isMisplaced(spec, positionals.length, token.value))
        return misplacedProject(spec, args, token.index, isAlone);
      positionals.push(token.value);
    }
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option === undefined) {
      const file = token.value ?? args[token.index + 1];
      const isOption = token.name === 'project' && spec.positionals[0]?.name === 'PROJECT';
      if (isOption && file !== undefined && !file.startsWith('-'))
        return projectAsOption(spec, args, token.index, token.inlineValue === true ? 1 : 2, file);
      return unknownOption(spec, token.rawName, token.name);
    }
    if (token.name === 'help') return { kind: 'help', text: helpText(spec) };
    const wrong = wrongValue(token.rawName, option, token.value, token.inlineValue);
    if (wrong !== null) return wrong;
    if (option.type === 'boolean') values.set(token.name, true);
    else if (option.multiple) (values.get(token.name) as string[]).push(token.value ?? '');
    else values.set(token.name, token.value);
  }
  const wrong = wrongPositionals(spec, positionals);
  if (wrong !== null) return wrong;
  return { kind: 'run', values: Object.fromEntries(values) as OptionValues<S>, positionals };
}

/** Prints help (code 0) or a usage error (code 2); for what `parseCommand` returned instead of values. */
export function answerUsage(parsed: { kind: 'help'; text: string } | UsageError, io: CommandIo): number {
  if (parsed.kind === 'help') {
    io.stdout.write(shown(parsed.text));
    return 0;
  }
  io.stderr.write(shown(`E001  ${parsed.message}\n      ${parsed.remedy}\n`));
  return 2;
}

/** The help page of a command. */
export function helpText(spec: CommandSpec): string {
  const usage = ['swemake', spec.name, '[options]', ...spec.positionals.map(usageOf)].join(' ');
  const positionals = spec.positionals.map((one): [string, string] => [one.name, one.description]);
  const options = Object.entries({ ...spec.options, help: HELP }).map(optionLine);
  const sections = [`Usage: ${usage}`, spec.summary];
  if (positionals.length > 0) sections.push(`Arguments:\n${table(positionals)}`);
  sections.push(`Options:\n${table(options)}`);
  if (spec.examples.length > 0) sections.push(`Examples:\n${exampleLines(spec.examples)}`);
  return `${sections.join('\n\n')}\n`;
}

function parserOptions(options: Record<string, OptionSpec>) {
  const entries = Object.entries(options).map(([name, option]) => {
    const known = { type: option.type, ...(option.short === undefined ? {} : { short: option.short }) };
    return [name, known] as const;
  });
  return Object.fromEntries(entries);
}

function emptyValues(options: Readonly<Record<string, OptionSpec>>): Map<string, unknown> {
  const start = (option: OptionSpec) =>
    option.type === 'boolean' ? false : option.multiple ? [] : undefined;
  return new Map(Object.entries(options).map(([name, option]) => [name, start(option)]));
}

function unknownOption(spec: CommandSpec, rawName: string, name: string): UsageError {
  const near = closest(name, Object.keys(spec.options));
  const remedy = near === null ? `see swemake ${spec.name} --help` : `did you mean "--${near}"?`;
  return { kind: 'usage', message: `unknown option "${rawName}"`, remedy };
}

/** Names of arguments that are addresses of items or stages, and never files. */
const ADDRESSES: readonly string[] = ['ITEM', 'TARGET'];

/** Whether a file of YAML stands where this command expects an item: its user meant the project, which `--project` names. */
function isMisplaced({ options, positionals }: CommandSpec, at: number, given: string): boolean {
  const { name } = positionals[Math.min(at, positionals.length - 1)] ?? { name: '' };
  const isOfProject = options.project !== undefined && ADDRESSES.includes(name);
  return isOfProject && /\.ya?ml$/.test(given) && !given.includes('@');
}

function misplacedProject(
  spec: CommandSpec,
  args: readonly string[],
  at: number,
  isAlone: boolean,
): UsageError {
  const file = args[at]!;
  const rest = args.toSpliced(at, 1);
  const named = rest.some((word) => word === '--project' || word.startsWith('--project='));
  const items = isAlone ? [spec.positionals[0]!.name] : [];
  const words = [...items, ...rest, ...(named ? [] : ['--project', file])];
  return {
    kind: 'usage',
    message: `${file} is a project, which ${spec.name} takes as an option`,
    remedy: `write ${lineOf(spec, words)}`,
  };
}

function projectAsOption(
  spec: CommandSpec,
  args: readonly string[],
  at: number,
  words: number,
  file: string,
): UsageError {
  return {
    kind: 'usage',
    message: `${spec.name} takes its project as the first argument, not by --project`,
    remedy: `write ${lineOf(spec, [file, ...args.toSpliced(at, words)])}`,
  };
}

function lineOf(spec: CommandSpec, words: readonly string[]): string {
  return ['swemake', spec.name, ...words.map(shellWord)].join(' ');
}

function wrongValue(
  rawName: string,
  option: OptionSpec,
  value: string | undefined,
  inline: boolean | undefined,
): UsageError | null {
  if (option.type === 'boolean') {
    if (value === undefined) return null;
    return { kind: 'usage', message: `option "${rawName}" takes no value`, remedy: `write ${rawName}` };
  }
  const name = option.placeholder ?? 'VALUE';
  const message = `option "${rawName}" needs a value`;
  if (value === undefined) return { kind: 'usage', message, remedy: `write ${rawName} ${name}` };
  // `--set --json` is far more often a forgotten value than a value with a dash in front.
  if (inline !== true && value.length > 1 && value.startsWith('-'))
    return { kind: 'usage', message, remedy: `to give "${value}" as the value, write ${rawName}=${value}` };
  return null;
}

function wrongPositionals(spec: CommandSpec, given: string[]): UsageError | null {
  const required = spec.positionals.filter((one) => one.required);
  const missing = required[given.length];
  if (missing !== undefined) {
    const message = `${missing.name} is missing: ${missing.description}`;
    // The first example is the plainest command.
    const [example] = spec.examples;
    const like = example === undefined ? '' : `write for example: ${example[0]}; `;
    return { kind: 'usage', message, remedy: `${like}see swemake ${spec.name} --help` };
  }
  const takesRest = spec.positionals.some((one) => one.multiple);
  if (takesRest || given.length <= spec.positionals.length) return null;
  const message = `unexpected argument "${given[spec.positionals.length]}"`;
  return { kind: 'usage', message, remedy: `see swemake ${spec.name} --help` };
}

function usageOf(one: PositionalSpec): string {
  const name = one.multiple ? `${one.name}...` : one.name;
  return one.required ? name : `[${name}]`;
}

function optionLine([name, option]: [string, OptionSpec]): [string, string] {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  const shown = option.placeholder ?? 'VALUE';
  // A value that may be left out can only be given behind a sign.
  const value = option.type === 'boolean' ? '' : shown.startsWith('[') ? shown : ` ${shown}`;
  const repeat = option.multiple ? ' (may be repeated)' : '';
  return [`${short}--${name}${value}`, option.description + repeat];
}

/** What a line is for stands above it, as in a shell script: lines are long. */
function exampleLines(examples: readonly (readonly [string, string])[]): string {
  return examples.map(([line, what]) => `  # ${what}\n  ${line}`).join('\n');
}

function table(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
