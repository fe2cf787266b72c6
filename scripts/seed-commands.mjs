/**
 * The commands that projects/ generates beside those of the systems that it replaces, flag by flag. Their scripts are really
 * run, in namespaces without network, with programs that only write down how they were called; so are ours. Outside of CI,
 * since it takes their repositories:
 *
 *   node scripts/seed-commands.mjs [--swe-rl CLONE] [--swe-minisandbox CLONE] [--miles CLONE] [--page docs/seed-commands.md]
 *
 * CLONE is a local repository with its history, bare or not. Every difference has to be explained below; the exit code is 1
 * where one is not. `--page` writes the whole comparison, with what is equal.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: clones } = parseArgs({
  options: {
    'swe-rl': { type: 'string' },
    'swe-minisandbox': { type: 'string' },
    miles: { type: 'string' },
    page: { type: 'string' },
  },
});

/** Flags that we write and they do not, or otherwise: why. */
const SLIME = {
  '--save-hf': 'the weights in the hub’s layout, which evaluation serves',
  '--rollout-seed': 'slime’s default, written down',
  '--global-batch-size': 'batch × samples ÷ steps, as slime computes it',
  '--load': 'the folder of --save',
};
const MILES = {
  ...SLIME,
  '--hf-checkpoint': 'a name of the hub in place of a folder',
  'env PYTHONUNBUFFERED': 'they wrote PYTHONBUFFERED',
  'env PYTHONFAULTHANDLER': 'a crash shows where',
};
const SKYRL = {
  'trainer.policy.model.path': 'BASE_MODEL; theirs is the checkpoint of SFT, as in chain.yaml',
  'generator.sweagent.agent.model.name': 'BASE_MODEL; theirs is the checkpoint of SFT, as in chain.yaml',
  'trainer.policy.optimizer_config.weight_decay': 'SkyRL’s default, written down',
  'generator.sweagent.instances.deployment.tool_path': 'a place on the machine',
  'generator.sweagent.env_type': 'their file says container, which their generator refuses',
  'trainer.run_name': 'the name of the project',
  'trainer.algorithm.kl_loss_coef': 'SkyRL’s default, written down',
  'trainer.algorithm.eps_clip_low': 'SkyRL’s default, written down',
  'trainer.algorithm.eps_clip_high': 'SkyRL’s default, written down',
  'trainer.seed': 'SkyRL’s default, written down',
  'trainer.hf_save_interval': 'the weights in the hub’s layout, which evaluation serves',
  'trainer.export_path': 'where SkyRL writes the weights of `hf_save_interval`',
  'trainer.dump_data_batch': 'rows of each step are kept beside the checkpoint',
  'generator.sampling_params.temperature': 'SkyRL’s default, written down',
  'generator.sampling_params.top_p': 'SkyRL’s default, written down',
  'trainer.resume_mode': 'SkyRL’s default; goes on after a kill',
  'trainer.logger': 'wandb with --profile wandb',
  'trainer.project_name': 'swerl2 with --profile wandb',
};
const TUNE = {
  'model._component_': 'the name that torchtune 0.6.1 has for it',
  'checkpointer.recipe_checkpoint': 'null is the default',
  'dataset.new_system_prompt': 'null is the default',
  'metric_logger.group': 'W&B’s name of the run',
  'metric_logger.job_type': 'W&B’s own label',
  'metric_logger.name': 'W&B’s name of the run',
  'metric_logger.log_dir': 'the log beside the result',
  'checkpointer.checkpoint_files': 'names of the files that the model has',
  exp_name: 'a variable of their file',
  profiler: 'off in both',
};
/** Variables of the job’s processes. */
const VARIABLES = {
  'env SWEMAKE_RUN': 'names the rollouts of this training for swemake’s own hooks',
  'env SWEMAKE_MAX_SEQ_LEN': 'max_context, for swemake’s own hooks',
  'env SWEMAKE_SEQUENCES': 'sequences, for swemake’s own hooks',
  'env SWEMAKE_DYNAMIC_HISTORY': 'dynamic_history, for swemake’s own hooks',
  'env PYTHONPATH': 'folders of the checkouts, in another order or number',
  'env NCCL_NVLS_ENABLE': 'set it in your shell where there is NVLink',
  'env MASTER_ADDR': 'set by the cluster',
  'env NO_PROXY': 'taken from your shell',
  'env no_proxy': 'taken from your shell',
  'env SWE_SAVE_TRAJ_DIR': 'below the output folder',
  'env SWE_ENV_SERVER_URL': 'the address of your pool',
};

const swerl = (script, model, rotary) => ({
  script: `swe-rl/scripts/${script}`,
  project: `swe-rl/${model}.yaml`,
  explained: { ...SLIME, ...VARIABLES },
  env: rotary,
});
const COMPARED = {
  'swe-rl': {
    revision: 'HEAD',
    folders: ['swe-rl', 'slime/scripts', 'slime/train.py', 'slime/train_async.py'],
    env: (root) => ({
      SLIME_DIR: join(root, 'slime'),
      SWE_RL_DIR: join(root, 'swe-rl'),
      MEGATRON_LM_PATH: join(root, 'Megatron-LM'),
      HF_CKPT: '/WEIGHTS',
      PRM_MODEL_PATH: '/JUDGE',
    }),
    configurations: [
      swerl('run_swe_rl_32b_remote_8nodes.sh', '32b-8-nodes'),
      swerl('run_swe_rl_32b_remote_8nodes_resume.sh', '32b-8-nodes-resume'),
      swerl('run_swe_rl_32b_remote_4nodes.sh', '32b-4-nodes'),
      swerl('run_swe_rl_8b_remote_2nodes.sh', '8b-2-nodes'),
      swerl('run_swe_rl_8b_prm_5nodes_remote.sh', '8b-prm-5-nodes'),
    ],
  },
  miles: {
    // The example was removed since.
    revision: 'adecabffb',
    folders: ['examples/experimental/swe-agent', 'scripts/models', 'train.py'],
    env: (root) => ({ MILES_DIR: root, MILES_EXAMPLE: join(root, 'examples/experimental/swe-agent') }),
    configurations: [
      {
        script: 'examples/experimental/swe-agent/run-qwen3-4b-instruct.sh',
        project: 'miles/qwen3-4b-swe-gym.yaml',
        explained: { ...MILES, ...VARIABLES },
      },
    ],
  },
  'swe-minisandbox': {
    revision: 'HEAD',
    folders: ['SkyRL/skyrl-train/examples/swe_agent', 'config/tune'],
    env: (root) => ({
      SKYRL_DIR: join(root, 'SkyRL/skyrl-train'),
    }),
    configurations: [
      ...[
        ['run_swe_3B_sandbox.sh', 'rl-1-node'],
        ['2node-3b-16bcz-32n.sh', 'rl-2-nodes'],
        ['run_swe_3B_container.sh', 'rl-container'],
      ].map(([script, project]) => ({
        script: `SkyRL/skyrl-train/examples/swe_agent/${script}`,
        project: `swe-minisandbox/${project}.yaml`,
        explained: SKYRL,
      })),
      {
        configuration: 'config/tune/swe_Qwen3bsandbox.yaml',
        project: 'swe-minisandbox/sft-3b.yaml',
        profile: 'wandb',
        explained: TUNE,
      },
    ],
  },
};

const folder = mkdtempSync(join(tmpdir(), 'swemake-seed-commands-'));
let unexplained = 0;
const page = [
  `# Generated commands beside the originals

For each public training script that a project in \`projects/\` stands for: what the script starts, beside what swemake starts for
the project. \`scripts/seed-commands.mjs --page\` writes this page. It runs both, with stand-ins for \`python\`, \`ray\` and other
programs, which only write down how they were called. Compared are the options of the training and the environment variables of its
job (\`env NAME\`). Of a configuration file the keys are compared.

An empty cell means that the option is not given. \`…\` and words in capitals (\`/WEIGHTS\`, \`/DATA\`, \`/OUTPUT\`) stand for folders of
the user. A second table for each RL project says what the default profile, with swemake's own rollouts, gives instead.`,
];
try {
  const asked = Object.entries(COMPARED).filter(([name]) => clones[name] !== undefined);
  if (asked.length === 0) {
    console.error(
      `usage: node scripts/seed-commands.mjs ${Object.keys(COMPARED)
        .map((name) => `[--${name} CLONE]`)
        .join(' ')}`,
    );
    process.exit(2);
  }
  for (const [name, seed] of asked) compare(name, seed);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (clones.page !== undefined) writeFileSync(clones.page, `${page.join('\n\n')}\n`);
else console.log(page.slice(1).join('\n\n'));
process.exitCode = unexplained > 0 ? 1 : 0;

function compare(name, { revision, folders, env, configurations }) {
  const root = join(folder, name);
  mkdirSync(root, { recursive: true });
  const tree = execFileSync('git', ['-C', clones[name], 'archive', revision, ...folders], {
    maxBuffer: 1 << 30,
  });
  execFileSync('tar', ['-x', '-C', root], { input: tree });
  for (const one of configurations) {
    const variables = env(root);
    const theirs =
      one.script === undefined
        ? flat(parse(readFileSync(join(root, one.configuration), 'utf8')))
        : called(readFileSync(join(root, one.script), 'utf8'), join(root, one.script), variables);
    const original = generated(one, variables);
    table(one, theirs, original);
    if (one.script !== undefined)
      besideDefault(one, original, generated({ ...one, profile: null }, variables));
  }
}

/** What the project would start. */
function generated({ project, profile = 'original' }, env) {
  const args = [
    'bin/swemake.js',
    'show',
    `projects/${project}`,
    ...(profile === null ? [] : ['--profile', profile]),
    '--training',
    '--json',
  ];
  const told = execFileSync(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env, WANDB_API_KEY: 'x' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { trainings } = JSON.parse(told.toString());
  const { files, variables } = trainings.at(-1);
  if (files['torchtune.yaml'] !== undefined) return flat(parse(files['torchtune.yaml']));
  const work = join(folder, 'training');
  mkdirSync(work, { recursive: true });
  const script = files['train.sh'].replaceAll('/WORK', work);
  return called(script, join(work, 'train.sh'), { ...env, ...variables });
}

/** Options of the training that a script starts, and the variables that its job gets. */
function called(text, path, env) {
  const bin = join(folder, 'bin');
  const record = join(folder, 'called.jsonl');
  stubs(bin);
  writeFileSync(record, '');
  writeFileSync(path, text.replaceAll('\r', ''));
  const data = join(folder, 'data.jsonl');
  writeFileSync(data, '');
  const end = spawnSync('unshare', ['-rmpn', '--fork', '--mount-proc', 'bash', path], {
    cwd: dirname(path),
    env: {
      PATH: `${bin}:/usr/bin:/bin`,
      HOME: folder,
      RECORD: record,
      PROMPT_DATA: data,
      RUN_TIMESTAMP: 'TIME',
      ...env,
    },
    encoding: 'utf8',
    timeout: 120_000,
  });
  const calls = readFileSync(record, 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const training = calls.find((words) =>
    words.some((word) => /(^|\/)train(_async)?\.py$|\.(main_swe|skyrl_main)$/.test(word)),
  );
  if (training === undefined) throw new Error(`${path} started no training\n${end.stderr.slice(-2000)}`);
  return options(training);
}

/** Programs that write down their words. */
function stubs(bin) {
  if (existsSync(bin)) return;
  mkdirSync(bin);
  const note = `/usr/bin/python3 -c 'import json, os, sys; open(os.environ["RECORD"], "a").write(json.dumps(sys.argv[1:]) + "\\n")'`;
  const python = `#!/bin/bash
case "$2" in
  *snapshot_download*) echo /WEIGHTS; exit 0 ;;
  *json.dumps*) exec /usr/bin/python3 "$@" ;;
esac
[ "$1" = -c ] || exec ${note} python "$@"
`;
  const ray = `#!/bin/bash
[ "$1 $2" = "job status" ] && { echo SUCCEEDED; exit 0; }
[ "$1 $2" = "job submit" ] && exec ${note} ray "$@"
exit 0
`;
  const silent = '#!/bin/bash\nexit 0\n';
  const programs = { python, python3: python, ray };
  for (const name of [
    'pkill',
    'sleep',
    'curl',
    'pip',
    'nvidia-smi',
    'conda',
    'activate',
    'apt',
    'apt-get',
    'docker',
  ])
    programs[name] = silent;
  programs.hostname = '#!/bin/bash\necho 127.0.0.1\n';
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
}

function options(words) {
  const found = {};
  const environment = words.find((word) => word.startsWith('--runtime-env-json='));
  if (environment !== undefined)
    for (const [name, value] of Object.entries(
      JSON.parse(environment.slice('--runtime-env-json='.length)).env_vars,
    ))
      found[`env ${name}`] = value;
  const rest = words.includes('--') ? words.slice(words.indexOf('--') + 1) : words;
  let flag = null;
  for (const word of rest) {
    const pair = /^\+*([\w.]+)=(.*)$/s.exec(word);
    if (pair !== null && flag === null) found[pair[1]] = pair[2];
    else if (/^--[a-z]/.test(word)) {
      flag = word;
      found[flag] = true;
    } else if (flag !== null) found[flag] = found[flag] === true ? word : `${found[flag]} ${word}`;
  }
  return found;
}

function flat(value, path = '') {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { [path]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, one]) => flat(one, path === '' ? key : `${path}.${key}`)),
  );
}

function table({ script, configuration, project, profile = 'original', explained }, theirs, ours) {
  page.push(`## ${script ?? configuration}`);
  const names = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].sort();
  const same = [];
  const rows = [];
  for (const name of names) {
    if (isEqual(theirs[name], ours[name])) {
      same.push(`${name} ${String(theirs[name])}`);
      continue;
    }
    const why =
      explained[name] ??
      explained[name.split('.')[0]] ??
      (isPlace(theirs[name], ours[name]) ? 'a place on the machine' : null);
    if (why === null) unexplained += 1;
    rows.push(`| ${name} | ${shown(theirs[name])} | ${shown(ours[name])} | ${why ?? '**not explained**'} |`);
  }
  page.push(
    `\`projects/${project} --profile ${profile}\`: ${same.length} of ${names.length} are equal.`,
    ['| option | theirs | swemake | why |', '|---|---|---|---|', ...rows].join('\n'),
    ['Equal:', '', '```text', ...same.map(withoutPlaces), '```'].join('\n'),
  );
}

/** What the default profile of a project gives in place of what `original` gives. */
function besideDefault({ project }, original, own) {
  const names = [...new Set([...Object.keys(original), ...Object.keys(own)])].sort();
  const rows = names
    .filter((name) => !isEqual(original[name], own[name]))
    .map((name) => `| ${name} | ${shown(original[name])} | ${shown(own[name])} |`);
  page.push(
    `The default profile of \`projects/${project}\`: ${names.length - rows.length} of ${names.length} are those of \`original\`.`,
    ['| option | --profile original | default |', '|---|---|---|', ...rows].join('\n'),
  );
}

function isEqual(a, b) {
  return plain(a) === plain(b);
}

/** 1.0e-6 is 1e-6, True is true, a list of one path is that path. */
function plain(value) {
  if (value === undefined) return undefined;
  const text = (typeof value === 'string' ? value : JSON.stringify(value))
    .replaceAll(/['"]/g, '')
    .toLowerCase();
  return text !== '' && !Number.isNaN(Number(text)) ? String(Number(text)) : text;
}

function isPlace(a, b) {
  return (
    [a, b].every((one) => one === undefined || /^\[?['"]?(\/|\$|$)|:\/\//.test(String(one))) &&
    a !== undefined &&
    b !== undefined
  );
}

function shown(value) {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `\`${withoutPlaces(text).replaceAll('|', '\\|')}\``;
}

/** Of this machine. */
function withoutPlaces(text) {
  return text.replaceAll(folder, '…').replaceAll(ROOT, '…/');
}
