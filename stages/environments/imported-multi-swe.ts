/**
 * Translates the classes of multi-swe-bench: a class writes Dockerfiles, a script that prepares the repository and one that applies both
 * patches and runs the tests. Pure.
 */
import { literalGlob } from '../../basics/glob.ts';
import { findParser, parserNames } from '../../parsers/registry.ts';
import { afterBuild, preparationIn, runIn, runsTests, versionsIn } from './image-scripts.ts';
import { dockerSpec } from './imported-dockerfile.ts';
import { compact, languageRecipe, listOf, MODULE_LANGUAGES } from './imported-languages.ts';
import { multiSwePython } from './imported-multi-python.ts';
import type { ImportedRecipe } from './imported-recipes.ts';
import { numberGlob } from './number-glob.ts';
import { PROBE_LOGS } from './probe-logs.ts';

/** What a class of multi_swe_bench.harness.repos says of some pull requests. */
export interface MultiSweClass {
  owner: string;
  /** The repository, or the `number_interval` that rows of it have. */
  repo: string;
  isInterval: boolean;
  /** The name of the folder of its module. */
  language: string;
  /** The first and the last pull request; null: all that follow. */
  numbers: [first: number, last: number | null];
  dockerfiles: string[];
  prepare: string;
  run: string;
  /** Names of probe logs -> the tests that passed in it; null: its parser refused the log. */
  reads: Record<string, string[] | null>;
}

type Made = Omit<ImportedRecipe, 'match'> | null;

/** Recipes of the classes, and the repositories that no ecosystem builds. `asOf`: the day of the index for those in Python. */
export function multiSweRecipes(classes: readonly MultiSweClass[], asOf?: string) {
  const parserOf = parserFinder();
  const leftOut = new Set<string>();
  const byName = new Map<string, MultiSweClass[]>();
  for (const one of classes) {
    const name = `${one.owner}/${one.repo}`;
    byName.set(name, [...(byName.get(name) ?? []), one]);
  }
  const recipes = [...byName].flatMap(([name, parts]) => {
    const { owner, repo, isInterval } = parts[0]!;
    // Rows have the name of their class as version.
    const match = {
      repo: isInterval || TAG.test(repo) ? `${literalGlob(owner)}/*` : literalGlob(name),
      version: literalGlob(repo),
    };
    const ranges = new Map<string, MultiSweClass['numbers'][]>();
    for (const part of parts) {
      const made = JSON.stringify(translated(part, parserOf(part.reads), asOf));
      ranges.set(made, [...(ranges.get(made) ?? []), part.numbers]);
    }
    return [...ranges].flatMap(([text, numbers]): ImportedRecipe[] => {
      const made = JSON.parse(text) as Made;
      if (made === null) leftOut.add(name);
      const instance = ranges.size === 1 ? {} : { instance: `*-${numberGlob(numbers)}` };
      return made === null ? [] : [{ match: { ...match, ...instance }, ...made }];
    });
  });
  return { recipes, leftOut: [...leftOut] };
}

/** Behind the repository, in the name of a class for the rows of a release. */
const TAG = /_v?\d+(?:_\d+)+\w*$/;

/** The parser by which the same tests passed in all probe logs as by that of a class; undefined: none of ours. */
function parserFinder() {
  const text = (tests: readonly string[]) => JSON.stringify([...tests].sort());
  const isOwn = (name: string) => name.startsWith('multi-swe-');
  const names = parserNames();
  const read = [...names.filter(isOwn), ...names.filter((name) => !isOwn(name))].map((name) => {
    const parser = findParser(name)!;
    const passed = (log: string) =>
      [...parser.parse(log)].flatMap(([id, status]) => (status === 'PASSED' ? [id] : []));
    const logs = Object.entries(PROBE_LOGS).map(([probe, log]) => [probe, text(passed(log))] as const);
    return { name, passed: new Map(logs) };
  });
  return (reads: MultiSweClass['reads']): string | undefined => {
    const said = Object.entries(reads).flatMap(([probe, tests]) =>
      tests === null ? [] : [[probe, text(tests)] as const],
    );
    if (!said.some(([, tests]) => tests !== text([]))) return undefined;
    return read.find(({ passed }) => said.every(([probe, tests]) => passed.get(probe) === tests))?.name;
  };
}

/** Of images without a number: those of the time when the classes were written. */
const USUAL: Readonly<Record<string, Record<string, string>>> = {
  go: { go_version: '1.24' },
  java: { java_version: '17' },
  javascript: { node_version: '20' },
  rust: { rust_version: '1' },
};
/** Programs that no ecosystem has. */
const NO_ECOSYSTEM = /\b(?:bun|deno|meson|bazel|conda|composer|docker)\b |\bdetox\b|android-sdk/;

function translated(one: MultiSweClass, parser: string | undefined, asOf: string | undefined): Made {
  const language = MODULE_LANGUAGES[one.language];
  const dockerfile = one.dockerfiles.join('\n').replace(/^\s*#.*\n/gm, '');
  const inSource = localiser(dockerfile);
  if (one.language === 'python')
    return multiSwePython(
      { dockerfile: inSource(dockerfile), prepare: inSource(one.prepare), run: inSource(one.run) },
      asOf,
    );
  const run = runIn(inSource(one.run));
  const parts = language === 'c' ? afterBuild(run) : { build: [], test: run };
  const isKnown = parts.test.some(runsTests) && !parts.test.some((command) => OF_IMAGES.test(command));
  if (language === undefined || !isKnown || NO_ECOSYSTEM.test([dockerfile, ...run, ''].join('\n')))
    return null;
  const { commands, ...prepared } = preparationIn(inSource(one.prepare));
  const lines = inSource(dockerfile).split('\n');
  const { spec, env, notes } = dockerSpec(
    lines.filter((line) => !OF_IMAGE.test(line)).join('\n'),
    parts.test.join('\n'),
    [...new Set(commands)],
  );
  const before = [...listOf(spec.install), ...parts.build];
  for (const command of before.filter(isOutside))
    notes.push(`left out, as it is outside of the repository: ${firstLine(command)}`);
  for (const command of before.filter(changesPackages))
    notes.push(`left out, as it chooses packages anew: ${command}`);
  for (const [program] of parts.test.join('\n').matchAll(/(?<=^|[\s"'=])\/(?:usr|opt)\/[\w./-]+/g))
    notes.push(`its tests name a file of its image: ${program}`);
  const kept = before.filter((command) => !isOutside(command) && !changesPackages(command));
  const made = languageRecipe(
    language,
    {
      ...spec,
      docker_specs: { ...USUAL[language], ...spec.docker_specs, ...versionsIn(`${one.prepare}\n${one.run}`) },
      // Without a command, the ecosystem's own would compile all of a project in C.
      ...(language === 'c' ? { install: [], build: kept.length === 0 ? [':'] : kept } : { install: kept }),
      test_cmd: parts.test,
    },
    parser ?? 'multi-swe-own',
  );
  if (made === null) return null;
  if (parser === undefined)
    notes.push(
      'no parser reads as its own does: choose one under parser, and measure the tests by discover_tests',
    );
  if (prepared.leftOut.length > 0)
    notes.push(`left out of a transcript: ${prepared.leftOut.map(firstLine).join(' ; ')}`);
  return {
    recipe: compact({ ...made.recipe, env: Object.keys(env).length > 0 ? env : undefined, parser }),
    notes: [...notes, ...made.notes],
  };
}

export const firstLine = (command: string) =>
  command.split('\n', 1)[0]! + (command.includes('\n') ? ' …' : '');

/** A program or a file that the image has. */
const OF_IMAGES = /(?:^|[\s"'=])(?:~|\$\{?HOME\}?|\/(?:home|root|workspace))\//;

const isOutside = (command: string) => OUTSIDE.test(command);
const changesPackages = (command: string) => /^npm (?:un)?install (?:-\S+ )*[^-|&\s]/.test(command);

/** Steps of the images that a recipe has in another way. */
const OF_IMAGE =
  /^RUN (?:bash \/home\/prepare\.sh|git (?:reset|checkout|config)\b|if \[ ! -f \/bin\/bash|curl .*nodesource|apk )/;
/** Reads or writes folders of the image, or gets programs from a site. */
const OUTSIDE =
  /(?:^|[\s"'=>(])(?:~|\$\{?HOME\}?|\/(?:home|opt|usr|root|etc|workspace))\/|^(?:wget|curl|git clone|pip3? install)\b/;

/** Writes the folder of the repository in images as `.`. Some scripts have its name with `_` in place of `-`. */
function localiser(dockerfile: string) {
  const folder = /\bgit clone\b.*?\s\/home\/([\w.-]+)\s*$/m.exec(dockerfile)?.[1] ?? '';
  const names = [folder, folder.replaceAll(/[.-]/g, '_')].filter((name) => name !== '');
  const pattern = names.map((name) => name.replaceAll('.', '\\.')).join('|');
  return (text: string) =>
    pattern === '' ? text : text.replaceAll(new RegExp(`/home/(?:${pattern})(?![\\w.-])`, 'g'), '.');
}
