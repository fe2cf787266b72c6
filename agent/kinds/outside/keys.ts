/** Keys of `agent` for programs that drive themselves. */
import { MODEL_LOOP } from '../keys.ts';
import type { Slice } from '../kind.ts';

const { model, limits, templates, env } = MODEL_LOOP;

/** What all of them have. */
export const OUTSIDE = {
  model,
  limits,
  templates,
  env,
  args: {
    description: 'Arguments of the program, after those that it always gets. Absent: none.',
    type: 'array',
    items: { type: 'string' },
    examples: [['--max-turns', '50']],
  },
  repository_settings: {
    description:
      'Whether the program follows what the repository says to agents (CLAUDE.md, AGENTS.md, hooks, .mcp.json). ignore: these files are hidden while it works. allow: it sees them. Absent: ignore.',
    type: 'string',
    enum: ['ignore', 'allow'],
    'x-noun': 'choice',
    examples: ['allow'],
  },
} satisfies Slice;

/** Of programs that swemake installs by name. */
export const INSTALLED = {
  version: {
    description: 'Version of the program. Absent: the one that this swemake was tried with.',
    type: 'string',
    pattern: '^[0-9A-Za-z.+_-]+$',
    'x-form': 'a version such as "1.2.3"',
    examples: ['1.2.3'],
  },
  as_of: {
    description:
      'The day whose package indexes the program is installed from, with all that it needs. Absent: none, and the lock file of the first installation is kept.',
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    'x-form': 'a day such as "2026-11-01"',
    examples: ['2026-11-01'],
  },
} satisfies Slice;

/** Of programs that can be told which of their tools they have. */
export const TOOLS = {
  tools: {
    description:
      'The tools that the program may use, by its own names for them; fewer tools make shorter prompts. Absent: all that work without a network.',
    type: 'array',
    minItems: 1,
    items: { type: 'string', pattern: '^[A-Za-z0-9_.:-]+$', 'x-form': 'a name without spaces' },
    examples: [['Bash', 'Edit', 'Read']],
  },
} satisfies Slice;

/** Of programs by name that are in no package index. */
export const FROM_SOURCE = {
  source: {
    description:
      'A folder with the source of the program, which is in no package index. It is copied to /opt/agent/source and installed from there.',
    type: 'string',
    pattern: '\\S',
    'x-form': 'a path that is not empty',
    'x-path': 'path',
    examples: ['../SWE-agent'],
  },
} satisfies Slice;

/** Of a program that the project describes. */
export const DESCRIBED = {
  ...TOOLS,
  program: { $ref: '#/definitions/agentProgram' },
} satisfies Slice;
