/**
 * Translates what classes of multi-swe-bench say of repositories in Python: images with a Python, and a transcript of what was installed in
 * them. Pure.
 */
import type { PartialRecipe } from '../../schemas/recipe.ts';
import { preparationIn, runIn } from './image-scripts.ts';
import { dockerSpec, PASSWORD } from './imported-dockerfile.ts';
import { compact, listOf } from './imported-languages.ts';
import { hostsIn, imageCommands } from './shell-commands.ts';

/** Texts of a class, in which the repository is the working folder. */
export interface PythonClass {
  dockerfile: string;
  prepare: string;
  /** It applies both patches and runs the tests. */
  run: string;
}

/** Programs of an environment that are called by their folder or their version, and options for a Python without one. */
const PLAIN: readonly [pattern: RegExp, instead: string][] = [
  [
    /(?<=^|[\s;&|('"=])(?:[\w.~/$-]*\/)?bin\/(?=(?:python|pip|pytest|nosetests|tox|coverage)[\d.]*(?:\s|$))/g,
    '',
  ],
  [/(?<=^|[\s;&|('"])python[23](?:\.\d+)?(?=\s|$)/g, 'python'],
  [/(?<=^|[\s;&|('"])(?:pip[23](?:\.\d+)?|uv pip|python -m pip)(?=\s)/g, 'pip'],
  [/(?<=\bpip (?:un)?install\b.*) (?:--break-system-packages|--user|--system)(?=\s|$)/g, ''],
  [/(?<=^|[\s;&|('"])(?:(?:poetry|pipenv|pdm|uv|hatch) run|conda run -n \S+) (?:-- )?/g, ''],
  [/(?<=^|[;&|]\s*)sudo (?=\S)/g, ''],
  [/(?<=^|[;&|]\s*)(?:source|\.) \S+\/activate[ \t]*(?:&&|;|$)[ \t]*/gm, ''],
  [/(?<=^|[;&|]\s*)(?:python -m (?:venv|virtualenv)|virtualenv|uv venv) [^;&|\n]*(?:&&|;|$)[ \t]*/gm, ''],
  [/(?<=^|[\s;&|(])uv sync(?! --active)\b/g, 'uv sync --active'],
  // The file in which a transcript writes the command of the tests.
  [/(?:^|[ \t]*(?:&&|;)[ \t]*)(?:(?:bash|sh) )?(?:\.\/)*test_commands\.sh(?=\s|$)/gm, ''],
];

/** A text of scripts for an environment that is active. */
function inEnvironment(text: string): string {
  return PLAIN.reduce((plain, [pattern, instead]) => plain.replace(pattern, instead), text);
}

/** Choices of a version in scripts; the last one counts. */
const CHOICES =
  /\bpython(3\.\d+) -m (?:venv|virtualenv|pip)\b|\b(?:virtualenv|venv)\b.*?\bpython=?(3\.\d+)|\bpyenv (?:install|local|global) (?:-\S+ )*(3\.\d+)|\bconda create\b.*?\bpython=(3\.\d+)|\buv (?:venv|sync)\b.*?(?:--python|-p) (3\.\d+)|(?:^|\s)python(3\.\d+) -m pytest/gm;
/** Of base images that say no version: what they had when the classes were written. */
const OF_IMAGES: readonly [image: RegExp, version: string][] = [
  [/^FROM python:(?:3-|3$|latest|slim)/m, '3.13'],
  [/^FROM ubuntu:(?:latest|24\.04)/m, '3.12'],
  [/^FROM ubuntu:22\.04/m, '3.10'],
  [/^FROM ubuntu:20\.04/m, '3.8'],
  [/^FROM debian:(?:bookworm|12)/m, '3.11'],
];
/** The oldest Python that environments have. */
const OLDEST = 6;

function versionOf({ dockerfile, prepare, run }: PythonClass): string | null {
  const chosen = [...`${prepare}\n${run}`.matchAll(CHOICES)]
    .at(-1)
    ?.slice(1)
    .find((one) => one !== undefined);
  const image = /^FROM (?:\S+\/)?python:(\d+\.\d+)/m.exec(dockerfile)?.[1];
  const version = chosen ?? image ?? OF_IMAGES.find(([pattern]) => pattern.test(dockerfile))?.[1] ?? null;
  return version !== null && /^3\.\d+$/.test(version) && Number(version.slice(2)) >= OLDEST ? version : null;
}

/** Managers of packages that an environment has only if they are installed there. */
const MANAGERS = ['poetry', 'pipenv', 'pdm', 'uv', 'hatch'];
/** What an environment has, or has no need for. */
const DONE =
  /^(?:#|git (?:reset|checkout|config)|if \[ ! -f \/bin\/bash|chmod|bash \/home\/|python -m (?:venv|virtualenv|ensurepip)|virtualenv|uv venv|pip install (?:-\S+ )*(?:pip|uv|virtualenv)(?: (?:-\S+|pip|setuptools|wheel|uv|virtualenv))*$|poetry (?:config|env|self|lock|shell)|pip (?:list|show|check|cache|freeze|config))(?=\W|$)/;
/** Packages of Debian for what an environment has. */
const OF_PYTHON =
  /^(?:git|sudo|software-properties-common|python[\d.]*(?:-(?:pip|venv|virtualenv|setuptools|distutils|full|minimal|dev|wheel))?|virtualenv)$/;
const RUNS_UNITTEST = /\bpython -m unittest\b|\bnosetests\b|\bruntests\.py\b|\bsetup\.py test\b/;
const RUNS_PYTEST = /\bpytest\b|\bpy\.test\b/;

/** What a transcript has of use for a recipe. */
const USEFUL =
  /^(?:apt(?:-get)? .*\binstall|pip (?:un)?install|(?:poetry|pipenv|pdm|uv|hatch) (?:install|sync|add)|python setup\.py (?:develop|install|build)|git submodule|make (?:install|develop|build|init)\S*|sed -i|npm (?:ci|i|install|run build))(?=\s|$)/;
/** Files of an image. */
const OF_IMAGE = /(?:^|[\s"'=])(?:~|\$\{?HOME\}?|\/(?:home|root|workspace|opt))\//;

/** What changes a machine. */
const OUTSIDE =
  /^(?:add-apt-repository|service|systemctl|update-\S+|locale-gen|curl|wget|fuser|gcloud|chmod)\b/;

/** null: no environment can be made of it. `asOf`: the day of the index. */
export function multiSwePython(
  given: PythonClass,
  asOf: string | undefined,
): { recipe: PartialRecipe; notes: string[] } | null {
  const python = versionOf(given);
  const prepared = preparationIn(inEnvironment(given.prepare), USEFUL);
  const image = dockerSpec(inEnvironment(given.dockerfile), '');
  const run = runIn(inEnvironment(given.run)).filter((command) => !command.startsWith('#'));
  const isInstalled = run.findIndex((command) => !/^pip (?:un)?install /.test(command));
  const test = run.slice(Math.max(isInstalled, 0));
  const isOfImage = test.some((command) => OF_IMAGE.test(command) || PASSWORD.test(command));
  if (python === null || isInstalled < 0 || isOfImage) return null;
  const all = [
    ...listOf(image.spec.pre_install),
    ...listOf(image.spec.install),
    ...prepared.commands,
    ...run.slice(0, isInstalled),
  ];
  const { system, commands, notes } = imageCommands(lastOfEach(all.filter((command) => !DONE.test(command))));
  const isLeft = (command: string) => [OF_IMAGE, OUTSIDE, PASSWORD].some((sign) => sign.test(command));
  const install = commands.filter((command) => !isLeft(command));
  const has = (pattern: string) => install.some((command) => new RegExp(pattern).test(command));
  const managers = MANAGERS.filter(
    (name) => has(`(?:^|&& |\\n)${name} `) && !has(`pip install (?:.* )?${name}\\b`),
  );
  // By this plugin Poetry asks the index that the others ask.
  const before = [...managers, ...(has('(?:^|&& |\\n)poetry ') ? ['poetry-plugin-pypi-mirror'] : [])];
  const left = [...commands.filter(isLeft), ...prepared.leftOut.filter((command) => !DONE.test(command))];
  if (left.length > 0)
    notes.push(
      `left out of a transcript: ${left.map((command) => command.split('\n', 1)[0]!.replaceAll(new RegExp(PASSWORD, 'g'), ':…@')).join(' ; ')}`,
    );
  const hosts = hostsIn(install);
  if (hosts.length > 0)
    notes.push(`fetches files from ${hosts.join(', ')}: allow_hosts of the deployment lets it`);
  const tests = test.join('\n');
  return {
    recipe: compact({
      python,
      as_of: asOf,
      system: system.filter((name) => !OF_PYTHON.test(name)),
      install: [...(before.length === 0 ? [] : [`pip install ${before.join(' ')}`]), ...install],
      test: tests,
      parser: RUNS_UNITTEST.test(tests) && !RUNS_PYTEST.test(tests) ? 'unittest' : undefined,
    }),
    notes: [...notes, ...image.notes],
  };
}

/** Of a command that was tried more than once, the last try is the one that others made possible. */
function lastOfEach(commands: readonly string[]): string[] {
  return commands.filter((command, at) => commands.lastIndexOf(command) === at);
}
