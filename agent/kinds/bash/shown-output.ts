/**
 * How a command's output is shown, in the tags of mini-swe-agent's protocol: whole below 10,000 characters, else its
 * first and last 5,000. Lengths are in code points.
 */

/** `warning`: what the agent should do instead. `after`: whether a line break follows it. */
export function shownOutput(warning: string, after: 'line end' | 'nothing'): string {
  const close = after === 'nothing' ? '-%}' : '%}';
  return `{% if output.output | length < 10000 -%}
<output>
{{ output.output -}}
</output>
{%- else -%}
<warning>
${warning}
</warning>
{%- set elided_chars = output.output | length - 10000 ${close}
<output_head>
{{ output.output[:5000] }}
</output_head>
<elided_chars>
{{ elided_chars }} characters elided
</elided_chars>
<output_tail>
{{ output.output[-5000:] }}
</output_tail>
{%- endif -%}`;
}
