/** `nodes --render`: what runs on the nodes of a project as a batch script or as manifests, on standard output. */
import { resolve } from 'node:path';
import { ownBackend, ownPools } from '../app/fleet.ts';
import type { CommandIo } from '../app/io.ts';
import { jobDeployments } from '../app/nodes/cluster-state.ts';
import { machinesOf } from '../app/nodes/machines.ts';
import { kubernetesManifests, type RenderOptions, slurmScript } from '../app/nodes/render.ts';
import { openProject, type ProjectValues } from '../app/open-project.ts';
import { content } from '../app/shown.ts';
import { answerUsage } from './arguments.ts';

interface RenderValues extends ProjectValues {
  render: string;
  image: string | undefined;
  claim: string[];
}

export async function renderCommand(
  file: string | undefined,
  values: RenderValues,
  io: CommandIo,
): Promise<number> {
  const refuse = (message: string, remedy: string) => answerUsage({ kind: 'usage', message, remedy }, io);
  const { render, image } = values;
  if (render !== 'slurm' && render !== 'kubernetes')
    return refuse(`"${render}" cannot be rendered`, 'write slurm or kubernetes');
  if (file === undefined) return refuse('which project has the nodes?', 'name the project file');
  if (render === 'kubernetes' && image === undefined)
    return refuse('pods need an image', 'write --image IMAGE, one with swemake, and with Ray for a cluster');
  const claims = values.claim.map((text) => /^([a-z0-9][a-z0-9.-]*)=(\/.*)$/.exec(text));
  const wrong = claims.indexOf(null);
  if (wrong >= 0)
    return refuse(`"${values.claim[wrong]}" is not a claim`, 'write NAME=/PATH, such as shared=/mnt/shared');
  const project = await openProject(file, values, io);
  if (project === null) return 2;
  const machines = machinesOf(project.config);
  if (!machines.ok)
    return refuse(
      machines.fault,
      'add nodes: [{ name: head, address: 10.0.0.1, roles: [ray-head] }]; see docs/clusters.md',
    );
  const options: RenderOptions = {
    name: project.config.name,
    file: resolve(io.cwd, file),
    profiles: values.profile,
    sets: values.set,
    deployments: jobDeployments(project),
    ...{ pools: ownPools(project.config), backend: ownBackend(project.config) },
  };
  const pods = {
    image: image ?? '',
    claims: claims.map((found) => ({ name: found![1]!, path: found![2]! })),
  };
  const text =
    render === 'slurm'
      ? slurmScript(machines.value, options)
      : kubernetesManifests(machines.value, options, pods);
  io.stdout.write(content(text, io));
  return 0;
}
