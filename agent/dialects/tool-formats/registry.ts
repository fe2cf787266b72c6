/** All formats in which models write tool calls as text, by their names. */
import type { ToolFormat } from './format.ts';
import { glm4 } from './glm4.ts';
import { gptOss } from './gpt-oss.ts';
import { hermes } from './hermes.ts';
import { kimiK2 } from './kimi-k2.ts';
import { llama3Json } from './llama3-json.ts';
import { mistral } from './mistral.ts';
import { qwen3Coder } from './qwen3-coder.ts';

export const TOOL_FORMATS: readonly ToolFormat[] = [
  hermes,
  qwen3Coder,
  llama3Json,
  mistral,
  glm4,
  kimiK2,
  gptOss,
];

/** The format of that name; undefined: there is none. */
export function findToolFormat(name: string): ToolFormat | undefined {
  return TOOL_FORMATS.find((format) => format.name === name);
}
