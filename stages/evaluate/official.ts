/** Reads what the official harness wrote: its run-level report, and why instances have no report of their own. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whenAbsent } from '../../basics/absent.ts';
import { jsonObject } from '../../basics/json.ts';
import { infraHint } from '../../grading/logs/infra.ts';
import { type Bucket, type SampleVerdict, sampleVerdict } from './buckets.ts';

/** The run-level report as swebench 4 and 5 write it; keys that only one of them has are optional. */
export interface OfficialReport {
  resolved_ids: string[];
  unresolved_ids: string[];
  error_ids: string[];
  empty_patch_ids: string[];
  incomplete_ids: string[];
  infra_failure_ids?: string[];
  ambiguous_failure_ids?: string[];
  failure_reasons?: Record<string, string>;
}

const LISTS: readonly [keyof OfficialReport & `${string}_ids`, Bucket][] = [
  ['resolved_ids', 'resolved'],
  ['unresolved_ids', 'unresolved'],
  ['error_ids', 'error'],
  ['empty_patch_ids', 'empty_patch'],
  ['incomplete_ids', 'incomplete'],
];

/** `MODEL.RUN.json` in one of `folders`: version 4 writes it where it is started. Its text and content, or null. */
export async function readOfficialReport(
  folders: readonly string[],
  runId: string,
): Promise<{ text: string; report: OfficialReport } | null> {
  for (const folder of folders) {
    const names = await readdir(folder).catch(whenAbsent([]));
    const name = names.find((one) => one.endsWith(`.${runId}.json`));
    if (name === undefined) continue;
    const text = await readFile(join(folder, name), 'utf8');
    // A harness that was killed leaves a part of one, which is no report.
    const report = jsonObject<OfficialReport>(text);
    if (report !== null && LISTS.every(([list]) => Array.isArray(report[list]))) return { text, report };
  }
  return null;
}

/** The folder of an instance's files in the harness's working folder. */
export function instanceFolder(scratch: string, runId: string, model: string, instance: string): string {
  return join(scratch, 'logs/run_evaluation', runId, model.replaceAll('/', '__'), instance);
}

/** What the harness says about `instance`. For an error, its log is read: an error of the machine is a fault. */
export async function officialVerdict(
  instance: string,
  report: OfficialReport,
  folder: string,
): Promise<SampleVerdict> {
  const bucket = LISTS.find(([list]) => (report[list] as string[]).includes(instance))?.[1];
  if (bucket === undefined)
    return sampleVerdict('error', {
      reason: 'infra: not reported',
      isInfra: true,
      detail: 'the report does not name it',
    });
  if (bucket === 'error')
    return errorOf(await readFile(join(folder, 'run_instance.log'), 'utf8').catch(whenAbsent(null)));
  const reason = report.failure_reasons?.[instance];
  if (reason === undefined || bucket === 'resolved') return sampleVerdict(bucket);
  const tier = report.infra_failure_ids?.includes(instance) ? 'environment' : 'ambiguous';
  return sampleVerdict(bucket, { hint: { tier, reason } });
}

const MACHINE =
  /docker\.errors|ImageNotFound|pull access denied|toomanyrequests|Error building image|BuildImageError|Read timed out|No space left on device/;

/** Why an instance has no report of its own, by its log; null: it was never begun. */
function errorOf(log: string | null): SampleVerdict {
  if (log === null)
    return sampleVerdict('error', { reason: 'infra: never begun', isInfra: true, detail: 'it has no log' });
  if (log.includes('>>>>> Patch Apply Failed'))
    return sampleVerdict('error', { reason: 'patch-does-not-apply', detail: lastLine(log) });
  const timeout =
    /Timeout error: \d+ seconds exceeded|>>>>> Tests Timed Out|Test timed out after \d+ seconds/.exec(log);
  if (timeout !== null) return sampleVerdict('error', { reason: 'time-limit', detail: timeout[0] });
  const hint = infraHint(log);
  if (hint?.tier === 'environment' || MACHINE.test(log))
    return sampleVerdict('error', {
      reason: `infra: ${hint?.tier === 'environment' ? hint.reason : 'container'}`,
      isInfra: true,
      detail: lastLine(log),
    });
  return sampleVerdict('error', { reason: 'error', detail: lastLine(log), hint });
}

function lastLine(log: string): string {
  return log.trimEnd().split('\n').at(-1) ?? '';
}
