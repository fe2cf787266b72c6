/** Warnings of what a build would fail for later, before it runs anything: the part of `doctor` that takes a second at most. */
import { addressOf } from '../../contract/stage.ts';
import type { RunEnd } from '../../engine/run.ts';
import type { Probe } from '../../executors/kind.ts';
import type { CommandIo } from '../io.ts';
import type { Session } from '../session.ts';
import { diskProbe, memoryShortage, type Needs, needsIn } from './needs.ts';
import { pythonProbes } from './python.ts';
import { endpointProbes, portProbes, secretProbes, toolchainProbes } from './surroundings.ts';

/** Problems by a plan of what is to run with so many `jobs` at once, and the datasets that must be read before more is known. */
export async function earlyProblems(
  plan: RunEnd,
  session: Session,
  io: CommandIo,
  jobs: number | null,
): Promise<{ problems: Probe[]; unread: string[] }> {
  const { project } = session;
  const stages = new Set(
    [...plan.nodes.values()]
      .filter(({ state, blocked }) => blocked !== null || state.planned > 0)
      .map(({ state }) => state.node.stage),
  );
  const needs = await needsIn(plan, session);
  const probes = await Promise.all([
    secretProbes(project, io.env, stages),
    endpointProbes(project, io.env, stages),
    portProbes(project, stages),
    rowProbes(needs, plan, session, io),
    [memoryShortage(session, jobs) ?? []].flat(),
  ]);
  return { problems: probes.flat().filter(({ status }) => status !== 'ok'), unread: needs.unread };
}

/** Problems that are known once the rows of datasets were read. */
export async function rowProblems(plan: RunEnd, session: Session, io: CommandIo): Promise<Probe[]> {
  const probes = await rowProbes(await needsIn(plan, session), plan, session, io);
  return probes.filter(({ status }) => status !== 'ok');
}

async function rowProbes(needs: Needs, plan: RunEnd, session: Session, io: CommandIo): Promise<Probe[]> {
  const isBuilt = ({ graph }: Session) =>
    graph.nodes.every(({ stage, dataset }) => {
      const node = plan.nodes.get(addressOf('environments', dataset));
      return stage !== 'environments' || node === undefined || node.state.fresh;
    });
  if (isBuilt(session)) return [];
  const pythons = needs.pythons.size === 0 ? [] : await pythonProbes(session.project, needs, io);
  return [
    ...pythons,
    ...(await toolchainProbes(needs.toolchains, session.services)),
    await diskProbe(session.cache.folder.root, needs, session),
  ];
}

/** `warning: NAME: what is wrong`, and what to do about it. */
export function earlyLines(problems: readonly Probe[]): string[] {
  return problems.flatMap(({ name, detail, remedy }) => [
    `warning: ${name}: ${detail}`,
    ...(remedy === undefined ? [] : [`         ${remedy}`]),
  ]);
}
