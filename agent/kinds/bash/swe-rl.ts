/**
 * Dialect swe-rl, that of OpenClaw-RL. Tags, numbers and the form of an action are those that its models were trained with.
 * The other words are our own.
 */
import { LOOSE_BASH_FENCE, marksFor } from '../../actions/fence.ts';
import { MARKER, submissionOfCommand } from '../../submission.ts';
import type { Dialect } from './dialect.ts';
import { shownOutput } from './shown-output.ts';

const FENCE = '```';

const SYSTEM = `You are a software engineer who works on a code repository through a shell.

Every reply holds a THOUGHT, in which you say what you want to do and why, and then exactly ONE bash code block with ONE command (or several joined with && or ||):

THOUGHT: your reasoning

${FENCE}bash
your command
${FENCE}

A reply of any other form is not run.`;

const INSTANCE = `Solve this issue of the repository at /testbed:

<pr_description>
{{task}}
</pr_description>

Change source files only, neither tests nor configuration, so that the behaviour is right in general.

1. Find and read the code that matters.
2. Reproduce the problem with a script.
3. Edit the source code.
4. Run your script again, and look at cases at the edge.
5. Remove what you made for yourself.

Every command runs in a new subshell in /testbed: neither \`cd\` nor variables last. Nothing can be typed into a program that asks.

When you are done, hand in your work with exactly this command:

${FENCE}bash
echo ${MARKER} && git add -A && git diff --cached
${FENCE}

You cannot go on after that.`;

const LONG = `The output of your last command was too long.
Use a command that prints less.
Of a file, look at a part with head, tail or sed.
Of a search, narrow the pattern or the folder,
or write its result into a file and look into that.`;

const OBSERVATION = `<returncode>{{output.returncode}}</returncode>
${shownOutput(LONG, 'nothing')}`;

/** Shown after a reply without a command. */
const NO_COMMAND = 'No valid bash command found in response.';

export const sweRl: Dialect = {
  limits: { steps: 20, time: 3600, command: 180, cost: 0, format_errors: 0 },
  rules: {
    rawSystem: true,
    noAction: NO_COMMAND,
    submission: (command, output) => submissionOfCommand(command, output),
    // Models were trained on these words.
    reminder: (left) => {
      if (left === null || left < 1) return '';
      return left === 1
        ? '\nREMINDER: You only have 1 turn left. Please provide the final answer'
        : `\nREMINDER: You have ${left} turns left to arrive at the solution.`;
    },
  },
  fence: LOOSE_BASH_FENCE,
  count: 'first',
  readsToolCalls: false,
  fitsFiles: false,
  templates: () => ({
    system: SYSTEM,
    instance: INSTANCE,
    observation: OBSERVATION,
    // Not used: such a reply gets an observation.
    format_error: NO_COMMAND,
  }),
  showing: ['system', 'instance'],
  shownFor: () => marksFor(LOOSE_BASH_FENCE),
};
