/** What is wrong with a trajectory by its schema. */
import { Ajv } from 'ajv';
import schema from '../../schemas/trajectory.schema.json' with { type: 'json' };

const validate = new Ajv().compile(schema);

/** Empty when it fits. */
export function schemaProblems(trajectory: unknown): string[] {
  validate(JSON.parse(JSON.stringify(trajectory)));
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
