/** The tables of docs about dataset formats, between two marks each, as the registered formats have them. */

/** Page and mark -> the table's lines. */
const TABLES = {
  'docs/dataset.md': { mark: 'formats', lines: formatsTable },
  'docs/init.md': { mark: 'templates', lines: templatesTable },
};

/** The pages with their tables. `read` gives a page's text. */
export function pagesWithTables(formats, templates, read) {
  const pages = Object.entries(TABLES).map(([path, { mark, lines }]) => {
    const [begin, end] = [`<!-- ${mark}: made by npm run build of formats/ -->`, `<!-- end of ${mark} -->`];
    const text = read(path);
    const [from, to] = [text.indexOf(begin), text.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`${path} has no lines "${begin}" and "${end}"`);
    const table = lines(formats, templates).join('\n');
    return [path, `${text.slice(0, from)}${begin}\n${table}\n${text.slice(to)}`];
  });
  return Object.fromEntries(pages);
}

function formatsTable(formats) {
  return [
    '| format | the patch | code comes from | dependencies come from | rows that share an environment |',
    '|---|---|---|---|---|',
    ...formats.map(({ name, docs: { patch, code, dependencies, environment } }) =>
      row([`\`${name}\``, patch, code, dependencies, environment]),
    ),
  ];
}

function templatesTable(_formats, templates) {
  return [
    '| template | what it is | rows |',
    '|---|---|---|',
    ...Object.entries(templates).map(([name, { what, rows }]) =>
      row([`\`${name}\``, what, `\`${rows.source}\`, split \`${rows.split}\``]),
    ),
  ];
}

function row(cells) {
  return `| ${cells.join(' | ')} |`;
}
