/**
 * The texts of agents with tools. The forms (function blocks, `OBSERVATION:`, the text for an empty output) are
 * SWE-agent's, since models were trained on them. The other words are our own.
 */
import type { ActionFormat, AgentTemplates } from '../../settings.ts';
import { ALL_TOOLS, describeTools } from './definitions.ts';

/** Characters of an observation that are shown. */
const MAX_CHARACTERS = 100_000;

export function toolsTemplates(actions: ActionFormat): AgentTemplates {
  const asText = actions !== 'tool-calls';
  return {
    system: asText ? `${SYSTEM}\n\n${CALLS}` : SYSTEM,
    instance: INSTANCE,
    observation: OBSERVATION,
    format_error: formatError(asText),
  };
}

const SYSTEM = `You are a software engineer who works on a code repository with the help of tools.

Paths that a user names are not always relative to the folder in which commands run: look for a file before you work on it.`;

const CALLS = `These functions are there for you:

${describeTools(ALL_TOOLS)}

To call one, end your reply with exactly this form and nothing behind it:

<function=example_function>
<parameter=first_parameter>value</parameter>
<parameter=second_parameter>
a value of
several lines
</parameter>
</function>

Say first, in a few words, why you call it. Each reply calls exactly one function, with every required parameter.`;

const INSTANCE = `<uploaded_files>
{{cwd}}
</uploaded_files>
The folder {{cwd}} holds a code repository. This is the description of a change that it needs:

<pr_description>
{{task}}
</pr_description>

Make the change in the source files so that the description is met. Tests are taken care of: do not change any.

1. Find and read the code that the description is about.
2. Write a script that shows the problem, and run it.
3. Edit the source.
4. Run the script again.
5. Think of cases at the edge, and see that they work too.

Take your time to think.`;

const OBSERVATION = `{% if output.exception_info -%}
{{ output.exception_info }}
{% endif -%}
{% if output.output == '' and not output.exception_info -%}
Your command ran successfully and did not produce any output.
{%- else -%}
OBSERVATION:
{{ output.output[:${MAX_CHARACTERS}] -}}
{% if output.output | length > ${MAX_CHARACTERS} -%}
<response clipped>
The first ${MAX_CHARACTERS} characters are shown; {{ output.output | length - ${MAX_CHARACTERS} }} are left out. Ask for less.
{%- endif -%}
{%- endif -%}`;

const formatError = (asText: boolean): string =>
  `{% if finish_reason == "length" -%}
Your reply reached its token limit and was cut off there, so nothing of it was run. Be brief.
{%- else -%}
Your reply was not run: {{error}}
{%- endif %}

Each reply must ${asText ? 'end with exactly one function call in the form that the first message shows' : 'call exactly one tool'}.`;
