/** `import-recipes`: recipes for a project from the tables of an installed swesmith, swebench or multi-swe-bench package. */

import { join, resolve } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import { content, jsonLine, shown } from '../app/shown.ts';
import { stopOnSignals } from '../app/signals.ts';
import { jsonObject } from '../basics/json.ts';
import { packageRoot } from '../basics/package-root.ts';
import { complaintOf, hasSucceeded, runProgram } from '../basics/program.ts';
import { fault, type Result, success } from '../basics/result.ts';
import type { MultiSweClass } from '../stages/environments/imported-multi-swe.ts';
import type {
  BenchTable,
  ImportedRecipe,
  SmithLanguageProfile,
  SmithProfile,
} from '../stages/environments/imported-recipes.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';
import { writeOutput } from './output-file.ts';
import { refusal } from './refusal.ts';

const IMPORT_RECIPES = {
  name: 'import-recipes',
  summary:
    'Write the recipes of an installed swesmith, swebench or multi-swe-bench package as YAML that a project extends.',
  positionals: [],
  options: {
    from: option(
      'PACKAGE',
      'swesmith, swebench, multi-swe-bench, or swe-gym, a fork of swebench (default: the one that is installed)',
    ),
    python: option('PYTHON', 'interpreter that has the package; python3 by default'),
    freeze: option('FILE', 'make one recipe from the output of pip freeze instead; needs --match and -o'),
    image: option('IMAGE', 'the same from a container image, in which docker runs pip freeze'),
    match: option('REPO', 'the repository that such a recipe is for, globs allowed'),
    output: { ...option('FILE', 'where it is written; stdout by default'), short: 'o' },
    json: {
      type: 'boolean',
      description: 'print one JSON object at the end; the recipes are in it without -o',
    },
  },
  examples: [
    ['swemake import-recipes --from swebench -o swebench.yaml', 'recipes that a project extends'],
    [
      "swemake import-recipes --freeze freeze.txt --match 'pydicom/*' -o pydicom.yaml",
      'one recipe from the output of pip freeze',
    ],
  ],
} as const satisfies CommandSpec;

const PACKAGES = ['swesmith', 'swebench', 'swe-gym', 'multi-swe-bench'];
/** SWE-Gym's fork is on no package index. */
const GYM_FORK = '--no-deps git+https://github.com/SWE-Gym/SWE-Bench-Fork';
/** Seconds. Importing swebench takes some, and minutes on a slow disk. */
const TIMEOUT = 180;
/** Bytes. */
const MAX_OUTPUT = 1 << 28;

interface Table extends Partial<BenchTable> {
  from: string;
  version: string;
  python: string;
  profiles?: SmithProfile[];
  otherProfiles?: SmithLanguageProfile[];
  classes?: MultiSweClass[];
  /** Classes that need more than a number of a pull request. */
  unread?: string[];
}

export async function importRecipesCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(IMPORT_RECIPES, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { from, python = 'python3', freeze, image, match, output, json } = parsed.values;
  if (freeze !== undefined || image !== undefined || match !== undefined) {
    if ((freeze === undefined) === (image === undefined) || match === undefined || output === undefined)
      return answerUsage(
        {
          kind: 'usage',
          message: 'a recipe from pip freeze needs --freeze FILE or --image IMAGE, and --match and -o',
          remedy: 'swemake import-recipes --freeze freeze.txt --match "pydicom/*" -o pydicom.yaml',
        },
        io,
      );
    const { freezeRecipe } = await import('./freeze-recipe.ts');
    return freezeRecipe({ freeze, image, match, output, json }, io);
  }
  if (from !== undefined && !PACKAGES.includes(from))
    return answerUsage(
      { kind: 'usage', message: `--from "${from}" is not known`, remedy: `one of ${PACKAGES.join(', ')}` },
      io,
    );
  const table = await readTable(python, from, io);
  if (!table.ok) {
    io.stderr.write(shown(refusal(table.fault)));
    return 3;
  }
  const { recipesYaml } = await import('../stages/environments/recipes-yaml.ts');
  const { recipes, leftOut } = await recipesOf(table.value);
  const origin = `${table.value.from} ${table.value.version}`;
  const yaml = recipesYaml(recipes, origin, leftOut);
  if (output !== undefined) writeOutput(resolve(io.cwd, output), yaml);
  const notes = recipes.reduce((count, one) => count + one.notes.length, 0);
  io.stderr.write(
    shown(`${recipes.length} recipes of ${origin}${notes === 0 ? '' : `, ${notes} notes in comments`}\n`),
  );
  if (json) io.stdout.write(jsonLine(summary(table.value, recipes, output)));
  else if (output === undefined) io.stdout.write(content(yaml, io));
  return 0;
}

async function recipesOf(table: Table): Promise<{ recipes: ImportedRecipe[]; leftOut: string[] }> {
  const { from, version, profiles, otherProfiles = [], classes } = table;
  const { releaseDay } = await import('../stages/environments/release-days.ts');
  const asOf = releaseDay(from, version);
  if (classes !== undefined) {
    const { multiSweRecipes } = await import('../stages/environments/imported-multi-swe.ts');
    const { recipes, leftOut } = multiSweRecipes(classes, asOf);
    return { recipes, leftOut: [...new Set([...leftOut, ...(table.unread ?? [])])] };
  }
  const { smithRecipes, smithLanguageRecipes, benchRecipes, languageRecipes } = await import(
    '../stages/environments/imported-recipes.ts'
  );
  if (profiles !== undefined) {
    const { recipes, leftOut } = smithLanguageRecipes(otherProfiles);
    return { recipes: [...smithRecipes(profiles, asOf), ...recipes], leftOut };
  }
  const { specs = {}, requirements = {}, condaFiles = {}, parsers = {}, languages = {} } = table;
  const { recipes, leftOut } = languageRecipes({ languages, parsers });
  return {
    recipes: [...benchRecipes({ specs, requirements, condaFiles, parsers }, asOf), ...recipes],
    leftOut,
  };
}

function summary({ from, version }: Table, recipes: readonly ImportedRecipe[], output: string | undefined) {
  return { from, version, count: recipes.length, ...(output === undefined ? { recipes } : { output }) };
}

/** The tables as the package's own code has them; a fault says what would provide them. */
async function readTable(
  python: string,
  from: string | undefined,
  io: CommandIo,
): Promise<Result<Table, string>> {
  const script = join(packageRoot(), 'stages', 'environments', 'import_recipes.py');
  // Not the current folder: a folder called swebench would be taken for the package.
  const { PROBE_LOGS } = await import('../stages/environments/probe-logs.ts');
  const argv = [python, '-I', script, from ?? '', JSON.stringify(PROBE_LOGS)];
  const stop = stopOnSignals(io);
  const end = await runProgram({
    argv,
    cwd: io.cwd,
    env: io.env,
    timeout: TIMEOUT,
    maxOutput: MAX_OUTPUT,
    signal: stop.drain,
  });
  stop.release();
  if (end.kind === 'missing')
    return fault(`there is no program ${python}; name the interpreter with --python`);
  const answer = hasSucceeded(end) ? jsonObject<Answer>(end.stdout.slice(end.stdout.indexOf('{'))) : null;
  if (answer === null) return fault(`${python} could not read the tables: ${complaintOf(end)}`);
  return answer.error === undefined ? success(answer) : fault(whyNone(answer.error, answer, from));
}

type Answer = Table & { error?: string; detail?: string };

function whyNone(error: string, answer: Table & { detail?: string }, from: string | undefined): string {
  const { python } = answer;
  const venv = 'in another environment, name its interpreter with --python';
  if (error === 'several') return `${python} has several of these packages; choose with --from`;
  if (error === 'no-tables')
    return `swebench ${answer.version} has no spec tables any more; pip install swebench==4.1.0 ${venv}`;
  if (error === 'unreadable') return `${answer.from} ${answer.version} could not be read: ${answer.detail}`;
  if (error === 'not-gym')
    return `${python} has swebench ${answer.version}, which is not SWE-Gym's fork; pip install ${GYM_FORK} ${venv}`;
  if (from === 'swe-gym')
    return `${python} has no swe-gym; pip install ${GYM_FORK} there, or, if it is ${venv}`;
  const wanted = from === 'swebench' ? 'swebench==4.1.0' : (from ?? 'swesmith, or swebench==4.1.0');
  return `${python} has no ${from ?? 'swesmith, swebench or multi-swe-bench'}; pip install ${wanted} there, or, if it is ${venv}`;
}
