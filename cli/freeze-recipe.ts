/**
 * `import-recipes --freeze` and `--image`: a recipe from the output of `pip freeze` in an image. This is the most
 * faithful way to an environment that was never written down otherwise. The list is written to a file that the recipe
 * names.
 */
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { stopOnSignals } from '../app/signals.ts';
import { complaintOf, hasSucceeded, runProgram } from '../basics/program.ts';
import { fault, type Result, success } from '../basics/result.ts';
import { freezeLines } from '../stages/environments/freeze.ts';
import { recipesYaml } from '../stages/environments/recipes-yaml.ts';
import { writeOutput } from './output-file.ts';
import { refusal } from './refusal.ts';

export interface FreezeRequest {
  /** File with what `python --version` and `pip freeze` printed; the first of them may be missing. */
  freeze: string | undefined;
  /** Image in which both are run. */
  image: string | undefined;
  /** The repository that the recipe is for, a glob. */
  match: string;
  output: string;
  json: boolean;
}

/** Images of SWE-bench, SWE-smith and SWE-Gym have their environment in conda's `testbed`. */
const LOOK = `
activate=/opt/miniconda3/bin/activate
if [ -f $activate ]; then . $activate testbed; fi
python --version && python -m pip freeze`;
/** A pull takes as long as the network needs. */
const TIMEOUT = 1800;

export async function freezeRecipe(request: FreezeRequest, io: CommandIo): Promise<number> {
  const { freeze, image, match, json } = request;
  const text = image === undefined ? await textOf(resolve(io.cwd, freeze!)) : await freezeOfImage(image, io);
  if (!text.ok) {
    io.stderr.write(shown(refusal(text.fault)));
    return 3;
  }
  const lines = text.value.split(/\r?\n/);
  const python = lines
    .map((line) => /^Python (\d+\.\d+)(?:\.\d+)?\S*\s*$/.exec(line)?.[1])
    .find((one) => one !== undefined);
  const pins = freezeLines(lines.filter((line) => !/^Python \d/.test(line)).join('\n'));
  const usable = pins.filter((line) => !line.startsWith('#'));
  if (usable.length === 0) {
    io.stderr.write(
      shown(refusal(`${image ?? freeze} has no line such as pytest==8.3.5; give the output of pip freeze`)),
    );
    return 3;
  }
  const output = resolve(io.cwd, request.output);
  const list = `${basename(output).replace(/\.ya?ml$/, '')}.freeze.txt`;
  const left = pins.filter((line) => line.startsWith('#')).map((line) => line.slice(2));
  const recipe = {
    ...(python === undefined ? {} : { python }),
    freeze: list,
    ...(usable.some((line) => /^pytest\s*=/i.test(line)) ? { pip: [] } : {}),
  };
  const notes = left.length === 0 ? [] : [`left out, as they say no version: ${left.join(', ')}`];
  writeOutput(join(dirname(output), list), `${pins.join('\n')}\n`);
  writeOutput(output, recipesYaml([{ match: { repo: match }, recipe, notes }], image ?? basename(freeze!)));
  const counts = { output: request.output, python: python ?? null, pins: usable.length, leftOut: left };
  if (json) io.stdout.write(jsonLine(counts));
  else
    io.stderr.write(
      shown(
        `${usable.length} pins${python === undefined ? '' : ` for Python ${python}`}, ${left.length} lines left out\n`,
      ),
    );
  return 0;
}

async function textOf(path: string): Promise<Result<string, string>> {
  try {
    return success(await readFile(path, 'utf8'));
  } catch (error) {
    return fault(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}); give the path of a file`,
    );
  }
}

/** Runs the image's own python, without a network; the engine pulls the image if it has to. */
async function freezeOfImage(image: string, io: CommandIo): Promise<Result<string, string>> {
  if (image.startsWith('-')) return fault(`${image} is not the name of an image`);
  const argv = ['docker', 'run', '--rm', '--network', 'none', '--entrypoint', 'bash', image, '-c', LOOK];
  const stop = stopOnSignals(io);
  // Time for the engine to remove the container.
  const end = await runProgram({ argv, env: io.env, timeout: TIMEOUT, grace: 10, signal: stop.drain });
  stop.release();
  if (hasSucceeded(end)) return success(end.stdout);
  if (end.kind === 'missing')
    return fault(
      'Docker is not installed here; run pip freeze in the image elsewhere and give its output with --freeze',
    );
  return fault(`pip freeze could not be run in ${image}: ${complaintOf(end)}`);
}
