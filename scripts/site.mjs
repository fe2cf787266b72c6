/**
 * Makes a static site of docs/, with a search that needs no server and no network: `npm run site [FOLDER]`. The order of pages and their
 * groups are those of docs/README.md; the first page is README.md.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { build } from 'esbuild';
import MarkdownIt from 'markdown-it';
import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './site/options.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const HOME = 'README.md';
const CONTENTS = 'docs/README.md';

/** Writes the site of the repository at `root` into the folder `out`, in place of what is there. */
export async function makeSite(root, out) {
  const pages = pagesIn(root);
  const groups = groupsOf(readFileSync(join(root, CONTENTS), 'utf8'), pages);
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const files = new Set();
  const sections = [];
  for (const path of pages) {
    const page = render(root, path, pages, files);
    sections.push(...page.sections);
    write(join(out, htmlOf(path)), layout(path, page, groups));
  }
  for (const path of files) {
    const to = join(out, fileOf(path));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(root, path), to);
  }
  const search = new MiniSearch(SEARCH_OPTIONS);
  search.addAll(sections.map((section, id) => ({ id, ...section })));
  write(join(out, 'search-index.js'), `globalThis.SEARCH_INDEX = ${JSON.stringify(search)};\n`);
  await build({
    entryPoints: [join(ROOT, 'scripts/site/search.mjs')],
    outfile: join(out, 'search.js'),
    ...{ bundle: true, minify: true, format: 'iife', logLevel: 'error' },
  });
  cpSync(join(ROOT, 'scripts/site/style.css'), join(out, 'style.css'));
  return { pages: pages.length, sections: sections.length };
}

/** The pages of the site, as paths in the repository. */
function pagesIn(root) {
  const docs = readdirSync(join(root, 'docs'), { recursive: true }).map((name) => `docs/${name}`);
  return [HOME, ...docs.filter((path) => path.endsWith('.md')).sort()];
}

/** Groups of pages by the headings of the table of contents. A page stands where it is named first. */
function groupsOf(contents, pages) {
  const seen = new Set([HOME, CONTENTS]);
  return contents
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title] = part.split('\n');
      const links = [...part.matchAll(/\[((?:[^\]\\]|\\.)+)\]\(([^)#]+\.md)\)/g)].flatMap(
        ([, text, target]) => {
          const path = posix.join('docs', target);
          if (seen.has(path)) return [];
          if (!pages.includes(path)) throw new Error(`${CONTENTS} names ${path}, which is not there`);
          seen.add(path);
          return [{ text, path }];
        },
      );
      return { title: title.trim(), links };
    });
}

/** Where a page lies in the site. */
export function htmlOf(path) {
  if (path === HOME) return 'index.html';
  return path
    .slice('docs/'.length)
    .replace(/README\.md$/, 'contents.html')
    .replace(/\.md$/, '.html');
}

/** Where another file of the repository lies. What browsers would not show gets an ending that they do. */
function fileOf(path) {
  return `files/${path}${/\.(?:png|svg|jpe?g|json|txt)$/.test(path) ? '' : '.txt'}`;
}

function render(root, path, pages, files) {
  const markdown = new MarkdownIt({ html: false });
  const headings = [];
  const sections = [];
  const textOf = (token) =>
    token.children
      .map(({ type, content }) => (type === 'text' || type === 'code_inline' ? content : ' '))
      .join('');
  const target = (link) => {
    if (/^[a-z]+:/i.test(link) || link.startsWith('#')) return link;
    const [file, anchor] = link.split('#');
    const there = posix.join(posix.dirname(path), file);
    const isPage = pages.includes(there);
    if (!isPage) files.add(there);
    const to = posix.relative(posix.dirname(htmlOf(path)), isPage ? htmlOf(there) : fileOf(there));
    return anchor === undefined ? to : `${to}#${anchor}`;
  };
  const tokens = markdown.parse(readFileSync(join(root, path), 'utf8'), {});
  const used = new Map();
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const text = textOf(tokens[index + 1]);
      const slug = slugOf(text);
      const times = used.get(slug) ?? 0;
      used.set(slug, times + 1);
      const id = times === 0 ? slug : `${slug}-${times}`;
      token.attrSet('id', id);
      headings.push({ level: Number(token.tag.slice(1)), text, id });
      sections.push({ page: headings[0].text, heading: text, url: `${htmlOf(path)}#${id}`, text: '' });
    } else if (token.type === 'inline') {
      for (const child of token.children) {
        if (child.type === 'link_open') child.attrSet('href', target(child.attrGet('href')));
        if (child.type === 'image') child.attrSet('src', target(child.attrGet('src')));
      }
      if (tokens[index - 1].type !== 'heading_open' && sections.length > 0)
        sections.at(-1).text += ` ${textOf(token)}`;
    } else if (token.type === 'fence' && sections.length > 0) sections.at(-1).text += ` ${token.content}`;
  }
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<th></th>', '<td></td>');
  return { title: headings[0]?.text ?? path, html, headings, sections };
}

/** As GitHub makes anchors of headings. */
function slugOf(text) {
  const plain = text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return plain.trim().replaceAll(' ', '-');
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function layout(path, { title, html, headings }, groups) {
  const here = htmlOf(path);
  const to = (file) => posix.relative(posix.dirname(here), file) || posix.basename(file);
  const link = ({ text, path: other }) =>
    `<li><a href="${to(htmlOf(other))}"${other === path ? ' aria-current="page"' : ''}>${markdownText(text)}</a></li>`;
  const nav = groups
    .filter(({ links }) => links.length > 0)
    .map(({ title: name, links }) => `<h2>${escaped(name)}</h2>\n<ul>\n${links.map(link).join('\n')}\n</ul>`);
  const parts = headings
    .filter(({ level }) => level === 2)
    .map(({ text, id }) => `<li><a href="#${id}">${escaped(text)}</a></li>`);
  const isLong = parts.length > 2 && parts.length < 60;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}${path === HOME ? '' : ' · swemake'}</title>
<link rel="stylesheet" href="${to('style.css')}">
</head>
<body data-root="${to('index.html').replace(/index\.html$/, '')}">
<a class="skip" href="#main">Skip to the text</a>
<header>
<a class="name" href="${to('index.html')}">swemake</a>
<search><label for="search">Search</label>
<input id="search" type="search" autocomplete="off" placeholder="press / to search">
<ul id="found" hidden></ul></search>
</header>
<div class="columns">
<nav aria-label="Pages">
<ul><li><a href="${to('index.html')}"${path === HOME ? ' aria-current="page"' : ''}>Overview</a></li></ul>
${nav.join('\n')}
</nav>
<main id="main">
${html}</main>
${isLong ? `<aside aria-label="On this page"><h2>On this page</h2>\n<ul>\n${parts.join('\n')}\n</ul></aside>` : ''}
</div>
<script src="${to('search-index.js')}"></script>
<script src="${to('search.js')}"></script>
</body>
</html>
`;
}

function markdownText(text) {
  return new MarkdownIt({ html: false }).renderInline(text);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

if (process.argv[1] === import.meta.filename) {
  const out = resolve(process.argv[2] ?? join(ROOT, 'site'));
  const { pages, sections } = await makeSite(ROOT, out);
  console.log(`${pages} pages, ${sections} sections: ${join(out, 'index.html')}`);
}
