/**
 * Turns rows of the format `mutation` into instances: per package, the source is fetched once and all patches are
 * derived in one go. A row whose mutation the source does not have is a bad row; the others go on.
 */

import { type Result, success } from '../../basics/result.ts';
import type { NumberedRow } from '../../formats/row.ts';
import type { BadRow, Instance, PinnedSource } from '../../schemas/instance.ts';
import { type Infra, isFault } from '../../schemas/outcome.ts';
import type { AbsenceTally } from '../source/absence-tally.ts';
import type { SourceFault } from '../source/fault.ts';
import { derivePatches } from './derive.ts';
import { instanceOfRow, type ReadMutationRow, readMutationRow, specOf } from './row.ts';

/** A source's pin and a host folder with its files. */
interface SourceFolder {
  pinned: PinnedSource;
  folder: string;
}

export interface ExpandDeps {
  /** Fetches the code that `spec` names; `sha256` is what the row pins it to, null when it does not. */
  openSource(spec: string, sha256: string | null): Promise<Result<SourceFolder, SourceFault>>;
  /** Absolute path of a Python 3.8 or later on the host. */
  python: string;
  signal?: AbortSignal | undefined;
  /** Takes what was not found. */
  tally?: AbsenceTally;
}

export interface ExpandedRows {
  /** In the order of the rows. */
  instances: Instance[];
  bad: BadRow[];
}

interface Checked extends ReadMutationRow {
  line: number;
}

/** The instances of the rows. A fault means that a source could not be had or no Python could be run. */
export async function expandMutationRows(
  rows: readonly NumberedRow[],
  deps: ExpandDeps,
): Promise<Result<ExpandedRows, Infra>> {
  const bad: BadRow[] = [];
  const packages = new Map<string, Checked[]>();
  for (const numbered of rows) {
    const checked = readMutationRow(numbered);
    if (!checked.ok) bad.push(checked.fault);
    else addTo(packages, { line: numbered.line, ...checked.value });
  }
  const found = new Map<number, Instance>();
  for (const group of packages.values()) {
    const expanded = await expandPackage(group, deps);
    if (!expanded.ok) return expanded;
    for (const [line, instance] of expanded.value.instances) found.set(line, instance);
    bad.push(...expanded.value.bad);
  }
  const instances = rows.flatMap(({ line }) => found.get(line) ?? []);
  return success({ instances, bad: bad.sort((a, b) => a.line - b.line) });
}

function addTo(packages: Map<string, Checked[]>, checked: Checked): void {
  const name = `${specOf(checked.row)} ${checked.row.sha256 ?? ''}`;
  const group = packages.get(name);
  if (group === undefined) packages.set(name, [checked]);
  else group.push(checked);
}

async function expandPackage(
  group: readonly Checked[],
  { openSource, python, signal, tally }: ExpandDeps,
): Promise<Result<{ instances: [number, Instance][]; bad: BadRow[] }, Infra>> {
  const first = group[0]!.row;
  const source = await openSource(specOf(first), first.sha256 ?? null);
  if (!source.ok) {
    const { fault } = source;
    if (isFault(fault)) return { ok: false, fault };
    for (const _ of group) tally?.add(fault);
    return success({
      instances: [],
      bad: group.map((one) => badRow(one, one.row.source === undefined ? 'package' : 'source', fault.detail)),
    });
  }
  const { pinned, folder } = source.value;
  const requests = group.map(({ row }) => row.mutation);
  const answers = await derivePatches(requests, { sourceFolder: folder, python, signal });
  if (!answers.ok) return answers;
  const instances: [number, Instance][] = [];
  const bad: BadRow[] = [];
  group.forEach((one, index) => {
    const answer = answers.value[index]!;
    if ('error' in answer) bad.push(badRow(one, 'mutation', answer.error));
    else instances.push([one.line, instanceOfRow(one, pinned, answer.patch)]);
  });
  return success({ instances, bad });
}

function badRow({ line, row }: Checked, field: string, message: string): BadRow {
  return { line, instance_id: row.instance_id, field, message };
}
