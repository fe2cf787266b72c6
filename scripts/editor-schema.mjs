/**
 * The schema that editors read. The project's own is for a project that is composed already: there, variables are inserted, and what a
 * profile or an extending file takes away with null is gone. In a file that is being written, both are allowed.
 */

/** Text with `${env:…}` or `${secret:…}`, whose value is not known here. */
const INSERTED = '\\$\\{(env|secret):';

export function editorSchema(schema) {
  return { ...eased(schema), description: schema.description };
}

/** The same schema, with inserted variables in texts, and null in place of what need not be there. */
function eased(schema) {
  if (Array.isArray(schema)) return schema.map(eased);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { required = [] } = schema;
  const changed = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'properties')
      changed[key] = mapped(value, (one, name) =>
        required.includes(name) ? eased(one) : orNull(eased(one)),
      );
    else if (key === 'definitions') changed[key] = mapped(value, eased);
    else if (['additionalProperties', 'items', 'propertyNames'].includes(key)) changed[key] = eased(value);
    else if (['anyOf', 'allOf', 'oneOf'].includes(key)) changed[key] = value.map(eased);
    else changed[key] = value;
  }
  return withVariables(changed);
}

function withVariables(schema) {
  const { pattern, enum: values, type, ...others } = schema;
  if (pattern !== undefined) return { ...schema, pattern: `(?:${pattern})|${INSERTED}` };
  if (values === undefined || !values.every((value) => typeof value === 'string')) return schema;
  return {
    ...others,
    anyOf: [
      { type: type ?? 'string', enum: values },
      { type: 'string', pattern: INSERTED },
    ],
  };
}

function orNull(schema) {
  const { description, examples, ...rules } = schema;
  const told = {
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
  };
  if (typeof rules.type === 'string' && rules.enum === undefined && rules.const === undefined)
    return { ...schema, type: [rules.type, 'null'] };
  return { ...told, anyOf: [rules, { type: 'null' }] };
}

function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}
