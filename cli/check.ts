/** `swemake check FILE...`: finds mistakes in project files before they cost anything. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { annotate, printDiagnostics } from '../app/diagnostics.ts';
import type { CommandIo } from '../app/io.ts';
import { loadOptions, PROJECT_OPTIONS } from '../app/project-options.ts';
import { shown } from '../app/shown.ts';
import { whenUnreadable } from '../basics/absent.ts';
import { plural } from '../basics/plural.ts';
import type { Diagnostic } from '../compiler/diagnostic.ts';
import { answerUsage, parseCommand } from './arguments.ts';

const CHECK = {
  name: 'check',
  summary: 'Check project files, each with all of its profiles. Ends with code 2 if one is wrong.',
  positionals: [{ name: 'FILE', description: 'a project file', required: true, multiple: true }],
  options: {
    ...PROJECT_OPTIONS,
    'projects-only': {
      type: 'boolean',
      description: 'pass over files that are no projects, where all YAML files of a repository are given',
    },
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake check project.yaml', 'one file'],
    ['swemake check projects/*.yaml --json', 'several projects, as JSON'],
  ],
} as const;

/** Runs the command and returns its exit code. */
export async function checkCommand(args: string[], io: CommandIo): Promise<number> {
  const started = performance.now();
  const parsed = parseCommand(CHECK, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { diagnoseProject } = await import('../compiler/load.ts');
  const options = loadOptions(parsed.values, io);
  const meant = parsed.values['projects-only']
    ? await projectsAmong(parsed.positionals, io)
    : parsed.positionals;
  const found: Diagnostic[] = [];
  for (const file of meant) found.push(...(await diagnoseProject(file, options)));
  const { lockWarnings } = await import('./lock-warning.ts');
  for (const file of meant) found.push(...(await lockWarnings(file, options)));
  const diagnostics = unique(found);
  const durationMs = Math.round(performance.now() - started);
  const files = meant.length;
  if (parsed.values.json) io.stdout.write(shown(asJson(diagnostics, files, durationMs)));
  else report(diagnostics, files, durationMs, io);
  return count(diagnostics, 'error') > 0 ? 2 : 0;
}

/** Those that are meant as projects; a file that cannot be read is one, so that it is reported. */
async function projectsAmong(files: readonly string[], { cwd }: CommandIo): Promise<string[]> {
  const { isMeantAsProject } = await import('../compiler/project-file.ts');
  const texts = await Promise.all(
    files.map((file) => readFile(resolve(cwd, file), 'utf8').catch(whenUnreadable(null))),
  );
  return files.filter((_, index) => texts[index] === null || isMeantAsProject(texts[index]!));
}

function report(diagnostics: Diagnostic[], files: number, durationMs: number, io: CommandIo): void {
  printDiagnostics(diagnostics, io);
  annotate(diagnostics, io);
  const [errors, warnings] = [count(diagnostics, 'error'), count(diagnostics, 'warning')];
  const also = warnings > 0 ? `, ${plural(warnings, 'warning')}` : '';
  const found = errors > 0 ? `${plural(errors, 'error')}${also}` : `no errors${also}`;
  const output = errors > 0 ? io.stderr : io.stdout;
  output.write(shown(`${found} in ${plural(files, 'file')} (${durationMs} ms)\n`));
}

function asJson(diagnostics: Diagnostic[], files: number, durationMs: number): string {
  const [errors, warnings] = [count(diagnostics, 'error'), count(diagnostics, 'warning')];
  return `${JSON.stringify({ files, errors, warnings, durationMs, diagnostics })}\n`;
}

/** A mistake in a file that several projects extend is reported once. */
function unique(diagnostics: Diagnostic[]): Diagnostic[] {
  return [...new Map(diagnostics.map((one) => [JSON.stringify(one), one])).values()];
}

function count(diagnostics: Diagnostic[], severity: Diagnostic['severity']): number {
  return diagnostics.filter((one) => one.severity === severity).length;
}
