/** `report PROJECT --html FILE`: what the project has come to as one page, with its figures as files. Runs nothing. */
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import type { CommandIo } from '../app/io.ts';
import { openLatestProject } from '../app/open-project.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { reportData } from '../app/report/data.ts';
import { reportFigures, reportPage } from '../app/report/page.ts';
import { openSession, survey } from '../app/session.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { packageVersion } from '../app/version.ts';
import { canonicalJson } from '../basics/canonical.ts';
import { digestOf } from '../basics/digest.ts';
import { readableBytes } from '../basics/readable.ts';
import { lockPath } from '../compiler/lock.ts';
import { answerUsage, type CommandSpec, option, parseCommand } from './arguments.ts';
import { writeOutput } from './output-file.ts';

const REPORT = {
  name: 'report',
  summary:
    'Write the results of a project as one page that opens without a network, and its figures as SVG files beside it.',
  positionals: [
    { name: 'PROJECT', description: 'the project (default: the one last used from this folder)' },
  ],
  options: {
    ...PROJECT_OPTIONS,
    html: option('FILE', 'the page to write'),
    json: { type: 'boolean', description: 'print one JSON object that lists the written files' },
  },
  examples: [['swemake report project.yaml --html report.html', 'the page, and report-figures/*.svg']],
} as const satisfies CommandSpec;

export async function reportCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(REPORT, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { html, json, profile, set } = parsed.values;
  if (html === undefined)
    return answerUsage(
      {
        kind: 'usage',
        message: '--html is missing: the page to write',
        remedy: 'for example: --html report.html',
      },
      io,
    );
  const project = await openLatestProject(parsed.positionals[0], parsed.values, io);
  if (project === null) return 2;
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const end = await survey(session);
    const data = await reportData(session, end, packageVersion());
    const path = resolve(io.cwd, html);
    const { redact } = session.services.secrets;
    const page = reportPage(data, {
      lock: lockDigest(project.file),
      config: digestOf(canonicalJson(project.config)),
      profiles: profile,
      settings: set,
    });
    writeOutput(path, redact(page));
    const folder = join(dirname(path), `${basename(path, extname(path))}-figures`);
    const figures = reportFigures(data);
    for (const { name, svg } of figures) writeOutput(join(folder, `${name}.svg`), redact(svg));
    const written = relative(io.cwd, path);
    if (json) {
      io.stdout.write(jsonLine({ page: written, figures: figures.length, bytes: Buffer.byteLength(page) }));
      return 0;
    }
    const figureFolder =
      figures.length === 0 ? '' : `, and ${figures.length} figures in ${relative(io.cwd, folder)}`;
    io.stdout.write(shown(`wrote ${written}${figureFolder}\n`));
    return 0;
  } finally {
    await session.close();
  }
}

function lockDigest(project: string): string | null {
  const bytes = readableBytes(lockPath(project));
  return bytes === null ? null : digestOf(bytes);
}
