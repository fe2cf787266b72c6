/**
 * Dialect v2: mini-swe-agent's protocol (one action per reply, the marker to submit, the tags of an
 * observation) in our own words. They match the format in which actions are written.
 */
import { FENCE, type Marks, marksFor } from '../../actions/fence.ts';
import type { ActionFormat, AgentTemplates } from '../../settings.ts';
import { MARKER, submissionOfOutput } from '../../submission.ts';
import type { Dialect } from './dialect.ts';
import { shownOutput } from './shown-output.ts';

interface Shown {
  rule: string;
  example(command: string): string;
}

/** The marks of a command that `FENCE` reads. */
export const FENCE_MARKS: Marks = ['```mswea_bash_command\n', '\n```'];
const TAG_MARKS: Marks = ['<mswea_bash_command>\n', '\n</mswea_bash_command>'];

const CALL: Shown = {
  rule: 'at least one call of the tool `bash`',
  example: (command) => `bash(${JSON.stringify({ command })})`,
};

/** `regex` replaces the expression of format `fence`. */
export function v2Templates(actions: ActionFormat, regex: string | null = null): AgentTemplates {
  const { rule, example } = shownAs(actions, regex);
  return {
    system: system(rule, example),
    instance: instance(rule, example),
    observation: OBSERVATION,
    format_error: formatError(rule, example),
  };
}

function shownAs(actions: ActionFormat, regex: string | null): Shown {
  if (actions === 'tool-calls') return CALL;
  if (actions === 'xml') return marked(TAG_MARKS);
  return marked((regex === null ? null : marksFor(regex)) ?? FENCE_MARKS);
}

function marked([before, after]: Marks): Shown {
  return {
    rule: `exactly one command, ${placeOf(before.trimEnd(), after.trimStart())}`,
    example: (command) => `${before}${command}${after}`,
  };
}

function placeOf(opening: string, closing: string): string {
  if (!opening.startsWith('```')) return `between the tags \`${opening}\` and \`${closing}\``;
  const language = opening.slice(3);
  return language === ''
    ? 'in a code block without a mark'
    : `in a code block that is marked \`${language}\``;
}

const system = (rule: string, example: (command: string) => string): string =>
  `You are a software engineer. You work on a code repository through a shell, one step at a time.

Every reply has two parts: first a few sentences on what you have learnt and what you want to do next, then ${rule}. You are shown what the command printed, and then you reply again.

Example of a reply:

THOUGHT: I do not know the layout of the project yet, so I list its folders first.

${example('find . -maxdepth 2 -type d -not -path "./.git*"')}

A reply of any other form is sent back, and nothing of it is run.`;

const instance = (rule: string, example: (command: string) => string): string =>
  `Resolve this issue in the repository at {{cwd}}:

<issue>
{{task}}
</issue>

Change the source files so that what the issue asks for holds in general and not only for its examples. Leave existing tests and the project's configuration as they are; hidden tests will judge your work.

A good way to go about it:
1. Find and read the code that the issue is about.
2. Reproduce the problem with a small script.
3. Edit the source.
4. Run your script again, and the project's tests of what you changed.
5. Think of cases at the edge, and check them.
6. Remove the scripts and other files that you made for yourself.

What to know about the shell:
- Each reply holds ${rule}. Join several steps with && or || where one is not enough.
- Each command runs in a shell of its own that starts in {{cwd}}: a \`cd\` or an \`export\` does not last. Write \`cd folder && command\`, or \`NAME=value command\`.
- Nobody is at the keyboard: a program that asks, an editor or a pager would wait until its time is over. Give options such as -y, and edit files with sed, or by writing them anew:

${example("cat <<'EOF' > example.txt\nhello\nEOF")}

- Long output is cut in its middle; look at parts of files, for example with \`sed -n '100,160p' file\`.

When you are done, hand in your work with this command and nothing else beside it:

${example(`echo ${MARKER}`)}

Everything that differs in {{cwd}} then is your solution, and you cannot change it any more.`;

const LONG =
  'The output is too long to be shown whole. Ask for less of it: a part of the file, a narrower search, or head and tail.';

const OBSERVATION = `{% if output.exception_info -%}
<exception>{{output.exception_info}}</exception>
{% endif -%}
<returncode>{{output.returncode}}</returncode>
${shownOutput(LONG, 'line end')}`;

const formatError = (rule: string, example: (command: string) => string): string =>
  `{% if finish_reason == "length" -%}
Your reply reached its token limit and was cut off there, so nothing of it was run. Think more briefly, and come to your command.
{%- else -%}
Your reply was not run:

<error>
{{error}}
</error>
{%- endif %}

Each reply needs ${rule}, such as:

${example('ls -la')}

To hand in your work, echo ${MARKER} as the first message says.`;

export const v2: Dialect = {
  limits: { steps: 100, time: 3600, command: 60, cost: 0, format_errors: 3 },
  rules: {
    rawSystem: false,
    noAction: null,
    submission: (_command, output, exitCode) => submissionOfOutput(output, exitCode),
    reminder: () => '',
  },
  fence: FENCE,
  count: 'one',
  readsToolCalls: true,
  fitsFiles: true,
  templates: v2Templates,
  showing: ['system', 'instance', 'format_error'],
  shownFor: marksFor,
};
