/** The shell as a tool, and how arguments of tools are checked by their JSON Schema. */
import { jsonOrText } from '../../basics/json.ts';
import type { ToolDefinition } from '../policy.ts';

export const BASH: ToolDefinition = {
  name: 'bash',
  description: 'Runs a bash command in the repository and shows what it prints.',
  parameters: {
    type: 'object',
    properties: { command: { type: 'string', description: 'The command to run.' } },
    required: ['command'],
  },
};

interface Property {
  type: 'string' | 'integer' | 'array';
  enum?: string[];
  description: string;
}

export interface Parameters {
  properties: Record<string, Property>;
  required: string[];
}

export function parametersOf(tool: ToolDefinition): Parameters {
  return tool.parameters as unknown as Parameters;
}

/**
 * Converts texts to numbers and lists where the schema asks for them, and leaves nulls out. A text that cannot be
 * converted is kept.
 */
export function typedArguments(
  tool: ToolDefinition,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const { properties } = parametersOf(tool);
  return Object.fromEntries(
    Object.entries(given).flatMap(([key, value]) => {
      if (value === null) return [];
      const isText = (properties[key]?.type ?? 'string') === 'string';
      return [[key, typeof value === 'string' && !isText ? jsonOrText(value) : value]];
    }),
  );
}

/** What is wrong with arguments, in a sentence; null when nothing is. */
export function argumentProblem(tool: ToolDefinition, given: Record<string, unknown>): string | null {
  const { properties, required } = parametersOf(tool);
  const missing = required.filter((key) => given[key] === undefined);
  if (missing.length > 0) return `${tool.name} needs ${missing.join(' and ')}.`;
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(properties, key));
  if (unknown.length > 0) return `${tool.name} takes no ${unknown.join(', ')}.`;
  for (const [key, value] of Object.entries(given)) {
    const problem = valueProblem(properties[key]!, value);
    if (problem !== null) return `${key} of ${tool.name} ${problem}.`;
  }
  return null;
}

function valueProblem({ type, enum: allowed }: Property, value: unknown): string | null {
  if (allowed !== undefined && !allowed.includes(String(value)))
    return `must be one of ${allowed.join(', ')}`;
  if (type === 'string') return typeof value === 'string' ? null : 'must be text';
  if (type === 'integer') return Number.isInteger(value) ? null : 'must be a whole number';
  const isRange = Array.isArray(value) && value.length === 2 && value.every(Number.isInteger);
  return isRange ? null : 'must be a list of two whole numbers';
}
