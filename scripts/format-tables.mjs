/** The tables of docs about agents, dataset formats and trainers, between two marks each, as the registered ones have them. */

/** Page and mark -> the table's lines. */
const TABLES = {
  'docs/agent.md': { mark: 'agents', lines: agentsTable },
  'docs/dataset.md': { mark: 'formats', lines: formatsTable },
  'docs/init.md': { mark: 'templates', lines: templatesTable },
  'docs/trainers.md': { mark: 'trainers', lines: trainersTable },
};

/** The pages with their tables. `read` gives a page's text. */
export function pagesWithTables(kinds, read) {
  const pages = Object.entries(TABLES).map(([path, { mark, lines }]) => {
    const [begin, end] = [`<!-- ${mark}: made by npm run build -->`, `<!-- end of ${mark} -->`];
    const text = read(path);
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${path} has no lines "${begin}" and "${end}"`);
    const table = lines(kinds).join('\n');
    return [path, `${text.slice(0, from)}${begin}\n${table}\n${text.slice(to)}`];
  });
  return Object.fromEntries(pages);
}

function agentsTable({ AGENTS }) {
  return [
    '| `type` | works with | follows |',
    '|---|---|---|',
    ...AGENTS.map(({ name, docs: { works, follows } }) => row([`\`${name}\``, works, follows])),
  ];
}

function formatsTable({ FORMATS }) {
  return [
    '| format | the patch | code comes from | dependencies come from | rows that share an environment |',
    '|---|---|---|---|---|',
    ...FORMATS.map(({ name, docs: { patch, code, dependencies, environment } }) =>
      row([`\`${name}\``, patch, code, dependencies, environment]),
    ),
  ];
}

function templatesTable({ TEMPLATES }) {
  return [
    '| template | what it is | rows |',
    '|---|---|---|',
    ...Object.entries(TEMPLATES).map(([name, { what, rows }]) =>
      row([`\`${name}\``, what, `\`${rows.source}\`, split \`${rows.split}\``]),
    ),
  ];
}

function trainersTable({ TRAINERS }) {
  const typesOf = (which) =>
    TRAINERS.filter((kind) => kind[which] !== undefined).map(({ name }) => `\`${name}\``);
  return [
    '| stage | `type` |',
    '|---|---|',
    row(['`sft-train`', typesOf('sft').join(', ')]),
    row(['`rl-train`', typesOf('rl').join(', ')]),
  ];
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}
