/**
 * Screens of builds, as tmux shows them at 80 and 120 columns: one that goes well, one with failures, an endpoint that is
 * down, Ctrl-C. A repository made here, a scripted model; each scene begins without a cache. They are written into
 * docs/terminal, so that a change of the display is seen in its lines.
 *
 *     node scripts/captures.mjs [SCENE…]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PORT = 18778;
const ROWS = 48;
const BUGS = ['invert_if', 'remove_loop', 'increase_constant', 'swap_operands'];

/** A repository with a bug for each instance; the names are as long as those of SWE-smith. */
function makeProject(folder, { endpoint, broken }) {
  const repo = join(folder, 'schema');
  mkdirSync(repo, { recursive: true });
  const rows = BUGS.map((bug, index) => {
    const module = `part${index}`;
    writeFileSync(join(repo, `${module}.py`), `VALUE = ${index}\n`);
    const expected = broken && index === 2 ? 7 : index;
    const test = `import time, unittest\nfrom ${module} import VALUE\nclass Test(unittest.TestCase):\n    def test_value(self):\n        time.sleep(0.3)\n        self.assertEqual(VALUE, ${expected})\n    def test_other(self):\n        pass\n`;
    writeFileSync(join(repo, `test_${module}.py`), test);
    return {
      instance_id: `keleshev__schema.24a30457.${bug}__${(index + 3) * 1977}ab1c`,
      repo: broken && index === 3 ? 'lepture/mistune' : 'keleshev/schema',
      patch: `diff --git a/${module}.py b/${module}.py\n--- a/${module}.py\n+++ b/${module}.py\n@@ -1 +1 @@\n-VALUE = ${index}\n+VALUE = -1\n`,
      patch_role: 'bug',
      FAIL_TO_PASS: [`test_value (test_${module}.Test)`],
      PASS_TO_PASS: [`test_other (test_${module}.Test)`],
      problem_statement: `VALUE of ${module} is not ${index}`,
    };
  });
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], { cwd: repo });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'all');
  const commit = String(git('rev-parse', 'HEAD')).trim();
  const lines = rows.map((row) => `${JSON.stringify({ ...row, source: `git+./schema@${commit}` })}\n`);
  writeFileSync(join(folder, 'rows.jsonl'), lines.join(''));
  writeFileSync(
    join(folder, 'smith.yaml'),
    `version: 1
name: smith
dataset: { train: { source: ./rows.jsonl, format: custom } }
environments:
  recipes:
    - { match: { repo: lepture/mistune }, install: [python -m pip install ./no-such-folder], test: python -m unittest -v, parser: unittest }
    - { match: {}, pip: [], install: [], test: python -m unittest -v, parser: unittest }
deployments: { box: { type: sandbox, network: { grade: off } } }
validation: { deployment: box }
agent:
  rollouts: 3
  baselines: [oracle, noop]
  model: { base_url: "${endpoint}", name: qwen3-8b, identity: "qwen3-8b@1", retry: 45s }
cache: { folder: ./cache }
trainer: { sft: { type: none } }
`,
  );
}

/** Solves what it is asked in three commands, but for every third conversation, which hands in nothing. */
function startModel() {
  const conversations = new Map();
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!request.url.endsWith('/chat/completions')) {
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'qwen3-8b' }] }));
      return;
    }
    const { messages } = JSON.parse(Buffer.concat(chunks).toString());
    const session = request.headers['x-session-id'] ?? '';
    if (!conversations.has(session)) conversations.set(session, conversations.size);
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    const [, module, value] = /VALUE of (part\d+) is not (\d+)/.exec(JSON.stringify(messages));
    const commands = [
      `grep -n VALUE ${module}.py`,
      conversations.get(session) % 3 === 2 ? 'ls' : `sed -i 's/^VALUE = .*/VALUE = ${value}/' ${module}.py`,
      'echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT',
    ];
    await sleep(700);
    const content = `The value looks wrong.\n\n\`\`\`mswea_bash_command\n${commands[Math.min(turn, 2)]}\n\`\`\``;
    const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
    const usage = { prompt_tokens: 400, completion_tokens: 30, total_tokens: 430 };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        id: 'x',
        object: 'chat.completion',
        created: 0,
        model: 'm',
        choices: [choice],
        usage,
      }),
    );
  });
  return new Promise((resolve) => server.listen(PORT, '127.0.0.1', () => resolve(server)));
}

/** A tmux of its own, with one window of that many columns. */
class Terminal {
  #socket;
  constructor(folder, columns) {
    this.#socket = join(folder, 'tmux');
    const env = { ...process.env, PS1: '$ ', TERM: 'xterm-256color' };
    delete env.NO_COLOR;
    const start = [
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      '-x',
      String(columns),
      '-y',
      String(ROWS),
      '-c',
      folder,
    ];
    execFileSync('tmux', ['-S', this.#socket, ...start, 'bash', '--norc', '--noprofile'], { env });
    this.#tmux('set-option', '-g', 'status', 'off');
  }
  #tmux(...args) {
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8' });
  }
  type(text) {
    this.#tmux('send-keys', '-l', text);
    this.#tmux('send-keys', 'Enter');
  }
  press(key) {
    this.#tmux('send-keys', key);
  }
  screen() {
    return this.#tmux('capture-pane', '-p', ...(process.env.COLOURS ? ['-e'] : [])).trimEnd();
  }
  /** The screen when a line of it matches. */
  async until(pattern, limitMs = 180_000) {
    for (const end = Date.now() + limitMs; Date.now() < end; ) {
      const screen = this.screen();
      if (pattern.test(screen)) return screen;
      await sleep(50);
    }
    throw new Error(`${pattern} was not seen:\n${this.screen()}`);
  }
  close() {
    this.#tmux('kill-server');
  }
}

const ENDED = /^\$ code \d+/m;
const BUILD = 'swemake build smith.yaml -j 4; echo "\\$ code $?"';

/** Each gives screens, with what they show. */
const SCENES = {
  healthy: {
    project: {},
    model: true,
    async play(terminal) {
      return [
        ['validation', await terminal.until(/validate\.train +[1-3]\/4/)],
        ['rollouts', await terminal.until(/rollouts\.train +(1[0-5])\/20/)],
        ['the end', await terminal.until(ENDED)],
      ];
    },
  },
  failing: {
    project: { broken: true },
    model: true,
    async play(terminal) {
      return [
        ['a failure as it comes', await terminal.until(/failed +environments/)],
        ['the end', await terminal.until(ENDED)],
      ];
    },
  },
  'endpoint-down': {
    project: {},
    model: false,
    async play(terminal) {
      await terminal.until(/waiting: /);
      await sleep(10_000);
      return [
        ['after ten seconds', terminal.screen()],
        ['the end', await terminal.until(ENDED)],
      ];
    },
  },
  'ctrl-c': {
    project: {},
    model: true,
    async play(terminal) {
      await terminal.until(/rollouts\.train +([6-9]|1\d)\/20/);
      terminal.press('C-c');
      const at = Date.now();
      const told = await terminal.until(/stopping/);
      const first = [`${Date.now() - at} ms after Ctrl-C`, told];
      await sleep(300);
      return [first, ['what still ends', terminal.screen()], ['the end', await terminal.until(ENDED)]];
    },
  },
};

const wanted = process.argv.slice(2);
for (const [name, { project, model, play }] of Object.entries(SCENES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const columns of [80, 120]) {
    const folder = mkdtempSync(join(tmpdir(), 'captures-'));
    const server = model ? await startModel() : null;
    makeProject(folder, { endpoint: `http://127.0.0.1:${PORT}/v1`, ...project });
    const terminal = new Terminal(folder, columns);
    try {
      terminal.type(`swemake() { node ${join(ROOT, 'bin/swemake.js')} "$@"; }; clear`);
      await sleep(300);
      terminal.type(BUILD);
      const frames = await play(terminal);
      const text = frames.map(
        ([what, screen]) => `── ${what} ${'─'.repeat(columns - what.length - 4)}\n${screen}\n`,
      );
      writeFileSync(join(ROOT, 'docs/terminal', `${name}-${columns}.txt`), text.join('\n'));
      console.log(`${name} ${columns}`);
    } finally {
      terminal.close();
      server?.closeAllConnections();
      server?.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}
