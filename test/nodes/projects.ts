/** Projects of clusters, for what `nodes` renders of them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from '../rig/folder.ts';
import { Project } from '../rig/project.ts';

const BIG = 'resources: { cpu: 64, gpu: 8, sandbox: 128, sandbox_start_up: 128, tar_io: 40 }';

/** A Ray cluster of four machines. */
export function clusterProject(address = 'http://head:8265'): Project {
  const project = new Project();
  writeFileSync(project.path('rows.jsonl'), '');
  writeFileSync(
    project.path('p.yaml'),
    `version: 1
name: My_Tasks
dataset: { train: { source: rows.jsonl, format: custom } }
deployments: { box: { type: ray, address: "${address}" } }
cache: { remote: { path: ${temporaryFolder()} } }
nodes:
  - { name: head, address: 127.0.0.1, roles: [ray-head], activate: "source /opt/env/bin/activate" }
  - { name: a, address: 10.0.0.2, roles: [ray-worker], ${BIG} }
  - { name: b, address: 10.0.0.3, roles: [ray-worker], ${BIG} }
  - { name: c, address: 10.0.0.4, roles: [ray-worker], resources: { cpu: 8 } }
  - { name: server, address: "http://127.0.0.1:9" }
`,
  );
  return project;
}

const SERVERS = `nodes:
  - { name: a, address: "http://10.0.0.2:5000", roles: [node-server, agent-server], containers: 64, resources: { cpu: 32, sandbox: 128 } }
  - { name: b, address: "http://10.0.0.3:5000", roles: [node-server, agent-server], containers: 64, resources: { cpu: 32, sandbox: 128 } }
  - { name: c, address: 10.0.0.4, roles: [agent-server], agents: "http://10.0.0.4:11001" }
`;

/** Node servers and agent servers on machines that are no cluster. */
export function serverProject(): Project {
  const project = clusterProject();
  const text = readFileSync(project.path('p.yaml'), 'utf8').replace(/deployments[\s\S]*/, '');
  const deployments = 'deployments: { fleet: { type: pool, base: debian:bookworm } }\n';
  writeFileSync(project.path('p.yaml'), `${text}agent: { type: oracle }\n${deployments}${SERVERS}`);
  return project;
}
