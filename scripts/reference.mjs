/** Writes docs/reference.md: every key of a project file with its type, default, meaning and an example. */

/** The page for `schema`; `note` says where it comes from. */
export function reference(schema, note) {
  const sections = [];
  const target = (one) => {
    if (one.$ref !== undefined) return target(schema.definitions[one.$ref.split('/').at(-1)]);
    if (one.allOf !== undefined) return { ...target(one.allOf[0]), ...one };
    return one;
  };

  const section = (path, one) => {
    const lines = [path === '' ? '## The file' : `## \`${path}\``, '', one.description, ''];
    const inner = [];
    for (const [name, key] of Object.entries(one.properties)) {
      const found = target(key);
      const required = one.required?.includes(name) ?? false;
      const here = path === '' ? name : `${path}.${name}`;
      lines.push(...entry(name, found, required));
      inner.push([here, found]);
    }
    sections.push(lines.join('\n').trimEnd());
    for (const [here, found] of inner) descend(here, found);
  };

  const descend = (path, one) => {
    // A profile repeats the keys of the file.
    if (path === 'profiles') return;
    if (one.properties !== undefined) section(path, one);
    else if (typeof one.additionalProperties === 'object')
      descend(`${path}.<${path === 'deployments' ? 'name' : 'id'}>`, target(one.additionalProperties));
    else if (one.items !== undefined) descend(`${path}[]`, target(one.items));
  };

  const entry = (name, one, required) => {
    const lines = [`### \`${name}\``, '', one.description, '', `- Type: ${typeName(one)}`];
    if (required) lines.push('- Required');
    else if ('default' in one) lines.push(`- Default: ${inline(one.default)}`);
    const secret = typeof one.additionalProperties === 'object' && one.additionalProperties['x-secret'];
    if (one['x-secret'] === true || secret === true) lines.push('- May be `${secret:NAME}`');
    if (one.examples !== undefined)
      lines.push(
        `- ${one.examples.length > 1 ? 'Examples' : 'Example'}: ${one.examples.map(inline).join(' or ')}`,
      );
    return [...lines, ''];
  };

  const typeName = (one) => {
    if (one.const !== undefined) return inline(one.const);
    if (one.enum !== undefined) return one.enum.map(inline).join(', ');
    if (one['x-unit'] === 'seconds') return 'time: seconds, or a number with ms, s, m, h or d';
    if (one['x-unit'] === 'bytes')
      return 'size: bytes, or a number with KiB, MiB, GiB, TiB, KB, MB, GB or TB';
    const name = [one.type]
      .flat()
      .map((type) => typeWord(type, one))
      .join(' or ');
    const least = one.minimum ?? one.exclusiveMinimum;
    const bound = one.minimum !== undefined ? `, at least ${least}` : `, more than ${least}`;
    const form = one['x-form'] === undefined ? '' : `: ${one['x-form']}`;
    return name + (least === undefined ? '' : bound) + form;
  };

  const typeWord = (type, one) => {
    if (type === 'array') return `list of ${plural(typeName(target(one.items)))}`;
    if (type === 'object' && typeof one.additionalProperties === 'object')
      return `map of names to ${plural(typeName(target(one.additionalProperties)))}`;
    return {
      string: 'text',
      integer: 'whole number',
      number: 'number',
      boolean: 'true or false',
      object: 'map',
    }[type];
  };

  section('', schema);
  return `# Project file\n\n<!-- ${note} -->\n\n${sections.join('\n\n')}\n`;
}

function plural(name) {
  return name.replace(/^(map|list)\b/, '$1s');
}

/** A value as YAML on one line. */
function inline(value) {
  return `\`${flow(value)}\``;
}

function flow(value) {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (value === null || typeof value !== 'object') return scalar(value);
  const pairs = Object.entries(value).map(([key, one]) => `${scalar(key)}: ${flow(one)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function scalar(value) {
  if (typeof value !== 'string') return String(value);
  return /^[A-Za-z][\w./ -]*$/.test(value) ? value : JSON.stringify(value);
}
