/**
 * Reads the coding agents that swemake knows by name: agents/NAME.yaml. They become schemas/generated/agents.ts, so that no command
 * reads files for them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';

/** What a file says beside `program`, which has the schema of a project's `agent.program`. */
const TEXT = { type: 'string', pattern: '\\S' };
const SHAPE = { summary: TEXT, licence: TEXT, version: TEXT };

/**
 * The text of the module.
 * @throws Error that names the file and the key of a file that does not fit.
 */
export function programsModule(root, schema) {
  const folder = join(root, 'agents');
  const ajv = new Ajv({ strict: false });
  ajv.addSchema({ definitions: schema.definitions }, 'project');
  const fits = ajv.compile({
    type: 'object',
    additionalProperties: false,
    required: [...Object.keys(SHAPE), 'program'],
    properties: {
      ...SHAPE,
      source: TEXT,
      bytes: { type: 'integer', minimum: 1 },
      program: { $ref: 'project#/definitions/agentProgram' },
    },
  });
  const programs = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const program = parse(readFileSync(join(folder, file), 'utf8'));
      if (!fits(program))
        throw new Error(`agents/${file}: ${ajv.errorsText(fits.errors, { dataVar: 'file' })}`);
      return { name: file.slice(0, -'.yaml'.length), ...program };
    });
  return `/** Generated from agents/*.yaml by scripts/programs.mjs; change those files instead. */
import type { NamedProgram } from '../../agent/kinds/outside/kind.ts';

export const PROGRAMS: readonly NamedProgram[] = ${JSON.stringify(programs, null, 2)};
`;
}
