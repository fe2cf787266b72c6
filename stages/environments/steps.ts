/**
 * The steps of an environment's build, in order: create it, what the recipe names, the installation of the project.
 * Pure; each step is one bash command of its own, so the first that fails ends the build with its name, log, exit code
 * and time.
 */

import { submoduleCommand } from '../../ecosystems/steps.ts';
import { type BuildRecipe, type ServicePackages, serviceFolder } from '../../schemas/recipe.ts';
import type { PreparedPython } from '../../tasks/python/provider.ts';
import { type CondaFiles, installedProjects } from './conda-files.ts';

/**
 * create: only the interpreter and swemake's tools, so the recipe has no influence on how it ends. dependencies: what
 * the recipe names; instances of one version share it. installation: commands at the instance's own commit.
 */
export type Phase = 'create' | 'dependencies' | 'installation';

export interface BuildStep {
  /** Recipe key and index, such as `install[0]`. */
  name: string;
  command: string;
  phase: Phase;
}

/** True for one of swemake's own steps, which the recipe does not influence. */
export function isOurs({ phase }: BuildStep): boolean {
  return phase === 'create';
}

type Commands = Pick<
  PreparedPython,
  'createCommands' | 'steps' | 'installCommand' | 'projectCommand' | 'separate' | 'solve'
>;

/** All steps: first those of the provider, which create the environment, then those of the recipe. */
export function buildSteps(
  recipe: BuildRecipe,
  commands: Commands,
  condaFiles: CondaFiles = new Map(),
): BuildStep[] {
  if (commands.steps !== undefined) return commands.steps(recipe);
  const { createCommands, installCommand, projectCommand, separate, solve } = commands;
  const { freeze = [], services = [], submodules = [], packages, pip, pre_install, install } = recipe;
  const requirements = packages.map((file) => {
    const conda = condaFiles.get(file);
    if (conda === undefined) return fitting(installCommand, `-r ${quoted(file)}`, pip);
    const wanted = [
      ...(solve === undefined ? conda.requirements : conda.piped).map(quoted),
      ...conda.includes.map((include) => `-r ${quoted(include)}`),
      ...installedProjects(conda, recipe).map(
        ({ isEditable, folder, extras }) =>
          `${isEditable ? '-e ' : ''}${quoted(`${folder === '.' ? '.' : `./${folder}`}${extras}`)}`,
      ),
    ];
    return wanted.length === 0 ? ':' : fitting(installCommand, wanted.join(' '), pip);
  });
  // All files are solved together, since packages of conda share their libraries.
  const specs = [...condaFiles.values()].flatMap((file) => file.specs.map(quoted));
  const builders = pip.filter((one) => BUILDER.test(one));
  const named = (builders.length === 0 || builders.length === pip.length ? [pip] : [builders, pip])
    .filter((some) => some.length > 0)
    .map((some) => `${installCommand} ${some.map(argument).join(' ')}`);
  // Variables of the recipe for pip mean nothing to another tool.
  const isForPip = projectCommand === undefined || Object.keys(recipe.env).some((name) => /^PIP_/.test(name));
  const installs = isForPip ? install : install.map((command) => byTool(command, projectCommand));
  return [
    ...stepsOf('create', 'create', createCommands),
    ...stepsOf('dependencies', 'conda', solve === undefined ? [] : [solve(specs.join(' '))]),
    // Before the packages, so that versions of a project that need the same service share it.
    ...stepsOf('dependencies', 'background', services.map(serviceCommand(separate))),
    ...stepsOf('dependencies', 'freeze', freezeCommands(freeze, installCommand)),
    ...stepsOf('dependencies', 'packages', requirements),
    ...stepsOf('dependencies', 'pip', named),
    ...stepsOf('installation', 'submodules', submodules.map(submoduleCommand)),
    ...stepsOf('installation', 'pre_install', pre_install),
    ...stepsOf('installation', 'install', installs),
  ];
}

/** A line of pip as words of a command. Rows write options into it, such as `-r dev.txt` and `-e .[test]`. */
function argument(line: string): string {
  const [, option, value] = /^(-[a-z]|--[a-z-]+)\s+(\S.*)$/.exec(line) ?? [];
  return option === undefined ? quoted(line) : `${option} ${quoted(value!)}`;
}

/** Nothing but the installation of the project in the current folder, with or without extras. */
const PROJECT =
  /^\s*(?:python3? -m )?pip3? install(?<args>(?: -q| --quiet| -v| --verbose)*(?: -e| --editable)? (["']?)\.\/?(?:\[[\w,.\- ]+\])?\2)\s*$/;

/** The command of a recipe, done by the provider's tool where that gives what pip would give. */
function byTool(command: string, projectCommand: string): string {
  const args = PROJECT.exec(command)?.groups?.args;
  return args === undefined ? command : `${projectCommand}${args}`;
}

/**
 * A pinned version is installed first: old packages that exist as sources are built with the setuptools that is
 * there.
 */
const BUILDER = /^(?:setuptools|wheel)\s*[=<>~!]/i;
const PIN = /^[A-Za-z0-9][\w.-]*==[\w.!+-]+$/;
const NO_SOLUTION = 'ResolutionImpossible|No solution found';

/**
 * Installs `wanted` in versions that fit the pins of `pip`, which are installed next. Otherwise the pins would break
 * what was chosen without them: an old numpy breaks the newest numba. If nothing fits, the pins are installed over
 * it.
 */
function fitting(installCommand: string, wanted: string, pip: readonly string[]): string {
  const pins = pip.filter((one) => PIN.test(one));
  if (pins.length === 0) return `${installCommand} ${wanted}`;
  return [
    'set -o pipefail; made=$(mktemp -d)',
    `printf '%s\\n' ${pins.map(quoted).join(' ')} > "$made/pins"`,
    // The option replaces the variable, so the constraints that the variable names are added.
    'if [ -n "${PIP_CONSTRAINT:-}" ]; then cat "$PIP_CONSTRAINT" >> "$made/pins"; fi',
    `${installCommand} -c "$made/pins" ${wanted} 2>&1 | tee "$made/log" && exit 0`,
    'code=${PIPESTATUS[0]}',
    `grep -qE '${NO_SOLUTION}' "$made/log" || exit "$code"`,
    "echo 'note: nothing fits the versions that pip pins; they are installed over what is chosen without them'",
    `${installCommand} ${wanted}`,
  ].join('\n');
}

/** Installs the packages of a service where the project does not see them. */
function serviceCommand(separate: Commands['separate']) {
  return ({ name, pip }: ServicePackages): string =>
    ['set -e', ...separate(serviceFolder(name), pip.map(quoted).join(' '))].join('\n');
}

function stepsOf(phase: Phase, name: string, commands: readonly string[]): BuildStep[] {
  return commands.map((command, index) => ({ name: `${name}[${index}]`, command, phase }));
}

/**
 * Installs pins without their requirements: packages of an image made by conda need not fit each other by pip's
 * rules.
 */
function freezeCommands(lines: readonly string[], installCommand: string): string[] {
  const pins = lines.filter((line) => !line.startsWith('#'));
  const left = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(2));
  const note = `echo ${quoted(`left out, as they say no version: ${left.join(', ')}`)}`;
  return [
    ...(left.length === 0 ? [] : [note]),
    ...(pins.length === 0 ? [] : [`${installCommand} --no-deps ${pins.map(quoted).join(' ')}`]),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Programs that go on behind their error say last how to go on. Maven, npm, pnpm, a later Yarn by the numbers of its errors, and cargo. */
const FIRST_ERROR =
  /^\[FATAL\] |^\[ERROR\] (?!\[|To see|Re-run|For more|After correcting|COMPILATION ERROR|The build could not read|Tests run:|There are test|Please refer|Failures:|Errors:)\S|^npm (?:error|ERR!) (?!code|errno|syscall|path|command|cwd|A complete log|$)\w|^\s*ERR_PNPM_\w+|^➤ YN00(?:01|09|16|18|28|35|41|56|80|81|82|90): |^error\[E\d+\]: /;
/** What pip says of any build that failed. */
const GENERIC =
  /metadata-generation-failed|subprocess-exited-with-error|legacy-install-failure|failed-wheel-build|Could not build wheels|Failed (?:building|to build)|ResolutionImpossible|Command errored out with exit status|Exception:\s*$/;

/** The most useful line of a failed step's output: an error line, what a build raised, or else the last line. */
export function tellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const first = lines.find((line) => FIRST_ERROR.test(line));
  const errors = lines.filter((line) => /^\s*(?:ERROR|error)\b[: ]/.test(line));
  const own = errors.filter((line) => !GENERIC.test(line));
  const raised = lines.filter((line) => /^\s*(?:\w+\.)*\w*(?:Error|Exception): ./.test(line));
  const line = first ?? own.at(-1) ?? raised.at(-1) ?? errors.at(-1) ?? lines.at(-1) ?? 'it wrote nothing';
  return line.trim().slice(0, 300);
}
