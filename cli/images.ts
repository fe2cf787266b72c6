/** `images`: which container images instances have, as files for other tools, and on the machines of a fleet. */

import { resolve } from 'node:path';
import { type Asset, imagesOf, listedImages, readText, rowAssets, writeAssets } from '../app/assets.ts';
import type { Member } from '../app/fleet.ts';
import type { CommandIo } from '../app/io.ts';
import { PROJECT_OPTIONS } from '../app/project-options.ts';
import { type PullSettings, pulledNames, pullImages } from '../app/pull-images.ts';
import { countOf, secondsOf, type WrongSetting, wrong } from '../app/servers/settings.ts';
import { jsonLine, shown } from '../app/shown.ts';
import { plural } from '../basics/plural.ts';
import { type Result, success } from '../basics/result.ts';
import type { ResolvedProject } from '../compiler/load.ts';
import { answerUsage, type CommandSpec, type OptionValues, option, parseCommand } from './arguments.ts';
import { formatDuration } from './duration.ts';
import { FLEET_OPTIONS, fleetOf } from './fleet-options.ts';

const IMAGES = {
  name: 'images',
  summary:
    'Print the container images of instances. They are those of a project’s datasets (build the datasets first), of rows in a file, or of a list. --to writes instance_ids.txt, docker_images.txt and verified_eval.jsonl. --pull fetches the images on all machines of the fleet.',
  positionals: [{ name: 'PROJECT', description: 'the project whose instances and fleet are meant' }],
  options: {
    ...PROJECT_OPTIONS,
    rows: option('FILE', 'instances as JSON lines, as swe-rl reads them (default: TRAIN)'),
    list: option('FILE', 'names of images, one a line (default: IMAGE_LIST)'),
    first: option('N', 'only the first N (default: N of the environment, 0 for all)'),
    to: option('FOLDER', 'write the three files'),
    pull: { type: 'boolean', description: 'fetch the missing images on the fleet' },
    ...FLEET_OPTIONS,
    'source-prefix': option(
      'PREFIX',
      'registry and owner in the names (default: SRC_PREFIX, else unchanged)',
    ),
    'proxy-prefix': option(
      'PREFIX',
      'registry and owner of a mirror to fetch them from (default: PROXY_PREFIX, else the same)',
    ),
    tries: option('N', 'tries for each image (default: MAX_RETRIES, else 5)'),
    pause: option('TIME', 'pause between two tries (default: RETRY_SLEEP, else 15s)'),
    timeout: option('TIME', 'time limit of one try (default: 1h)'),
    'at-once': option('N', 'images that are fetched at the same time (default: 4)'),
    json: { type: 'boolean', description: 'print one JSON object' },
  },
  examples: [
    ['swemake images project.yaml --to verified', 'the files of a benchmark, for swe-rl’s scripts'],
    ['swemake images project.yaml --pull', 'all images on all nodes of the project, before a build'],
    [
      'swemake images --list docker_images.txt --pull --node http://localhost:5000 --proxy-prefix dockerproxy.net/swebench',
      'through a mirror, under the names that they have without it',
    ],
  ],
} as const satisfies CommandSpec;

type Values = OptionValues<typeof IMAGES>;

/** What the command is about. */
interface Subject {
  /** Null: a list has names alone. */
  assets: Asset[] | null;
  images: string[];
  project: ResolvedProject | null;
}

export async function imagesCommand(args: string[], io: CommandIo): Promise<number> {
  const parsed = parseCommand(IMAGES, args);
  if (parsed.kind !== 'run') return answerUsage(parsed, io);
  const { values } = parsed;
  const usage = (why: WrongSetting) => answerUsage({ kind: 'usage', ...why }, io);
  const settings = settingsOf(values, io.env);
  if (!settings.ok) return usage(settings.fault);
  const subject = await findSubject(parsed.positionals[0], values, io);
  if (typeof subject === 'number') return subject;
  if (!subject.ok) return usage(subject.fault);
  const { assets, images, project } = subject.value;
  let files: string[] = [];
  if (values.to !== undefined) {
    if (assets === null)
      return usage({
        message: '--to needs instances, and a list has none',
        remedy: 'give --rows FILE or a project',
      });
    files = writeAssets(assets, resolve(io.cwd, values.to));
  }
  if (!values.pull) {
    if (values.json) io.stdout.write(jsonLine({ images, files }));
    else for (const line of values.to === undefined ? images : files) io.stdout.write(shown(`${line}\n`));
    return 0;
  }
  const members = await fleetOf(project, values, io);
  if (!members.ok) return usage(members.fault);
  return pull(members.value, images, settings.value, values.json, io);
}

async function pull(
  members: readonly Member[],
  images: readonly string[],
  settings: PullSettings,
  json: boolean,
  io: CommandIo,
): Promise<number> {
  const wanted = images.map((image) => pulledNames(image, settings, io.env));
  let done = 0;
  const ends = await pullImages(members, wanted, settings, ({ image, status, detail, seconds }) => {
    done += 1;
    const why = detail === '' ? '' : `: ${detail}`;
    io.stderr.write(
      shown(`[${done}/${wanted.length}] ${status} ${image} (${formatDuration(seconds * 1000)})${why}\n`),
    );
  });
  const failed = ends.filter(({ status }) => status === 'failed');
  if (json) io.stdout.write(jsonLine({ images: ends }));
  else {
    const counts = `${ends.length - failed.length} of ${plural(ends.length, 'image')} ${ends.length === 1 ? 'is' : 'are'} there`;
    io.stdout.write(shown(`${counts}${failed.length === 0 ? '' : `, ${failed.length} are not`}\n`));
  }
  return failed.length === 0 ? 0 : 3;
}

/** An exit code where the project's own faults were printed already. */
async function findSubject(
  file: string | undefined,
  values: Values,
  io: CommandIo,
): Promise<Result<Subject, WrongSetting> | number> {
  const given = values.first ?? io.env.N;
  const first = countOf('--first', given === '0' ? undefined : given, 0);
  if (!first.ok) return first;
  const some = <T>(all: T[]): T[] => (first.value === 0 ? all : all.slice(0, first.value));
  const project = file === undefined ? null : await openGiven(file, values, io);
  if (file !== undefined && project === null) return 2;
  const isGiven = values.rows !== undefined || values.list !== undefined || project !== null;
  const list = values.list ?? (isGiven ? undefined : io.env.IMAGE_LIST);
  const rows = values.rows ?? (isGiven || list !== undefined ? undefined : io.env.TRAIN);
  if (list !== undefined) {
    const images = fromFile(list, listedImages, io);
    return images.ok ? success({ assets: null, images: some(images.value), project }) : images;
  }
  if (rows === undefined && project === null)
    return wrong(
      'no instances and no images are named',
      'name a project, or give --rows FILE or --list FILE',
    );
  const all = rows === undefined ? await assetsOf(project!, io) : fromFile(rows, rowAssets, io);
  if (!all.ok) return all;
  const assets = some(all.value);
  return success({ assets, images: imagesOf(assets), project });
}

async function openGiven(file: string, values: Values, io: CommandIo): Promise<ResolvedProject | null> {
  const { openProject } = await import('../app/open-project.ts');
  return openProject(file, values, io);
}

function fromFile<T>(
  file: string,
  read: (text: string) => Result<T, string>,
  io: CommandIo,
): Result<T, WrongSetting> {
  const text = readText(resolve(io.cwd, file));
  const end = text.ok ? read(text.value) : text;
  return end.ok ? end : wrong(`${file}: ${end.fault}`, 'correct it, or name another file');
}

async function assetsOf(project: ResolvedProject, io: CommandIo): Promise<Result<Asset[], WrongSetting>> {
  const { openSession, survey } = await import('../app/session.ts');
  const { projectAssets } = await import('../app/assets.ts');
  const session = await openSession(project, io, new AbortController().signal);
  try {
    const assets = await projectAssets(session, await survey(session));
    return assets.ok ? assets : wrong(assets.fault, 'build it first');
  } finally {
    await session.close();
  }
}

function settingsOf(values: Values, env: NodeJS.ProcessEnv): Result<PullSettings, WrongSetting> {
  const tries = countOf('--tries', values.tries ?? env.MAX_RETRIES, 5);
  if (!tries.ok) return tries;
  const pause = secondsOf('--pause', values.pause ?? env.RETRY_SLEEP, 15);
  if (!pause.ok) return pause;
  const timeout = secondsOf('--timeout', values.timeout, 3600);
  if (!timeout.ok) return timeout;
  const atOnce = countOf('--at-once', values['at-once'], 4);
  if (!atOnce.ok) return atOnce;
  return success({
    source: values['source-prefix'] ?? (env.SRC_PREFIX || null),
    proxy: values['proxy-prefix'] ?? (env.PROXY_PREFIX || null),
    ...{ tries: tries.value, pause: pause.value * 1000, timeout: timeout.value, atOnce: atOnce.value },
  });
}
