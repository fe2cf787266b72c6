/** A resolved config as YAML that can be read in again, with a comment behind every value. */
import { Document, type Node, Scalar, type ScalarTag } from 'yaml';
import { type Data, formatPath, type Path } from './tree.ts';

/** `config` as YAML; `comments` are by the formatted path of leaf values. */
export function annotatedYaml(config: Data, comments: ReadonlyMap<string, string>): string {
  const document = new Document(null, {
    aliasDuplicateObjects: false,
    customTags: (tags) => [...tags, EMPTY],
  });
  document.contents = annotated(document, config, [], comments) as never;
  return `${document.toString({ lineWidth: 0 }).trimEnd()}\n`;
}

/** Stands for `{}` or `[]`: the library would put the comment of an empty collection on a line of its own. */
class Empty {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const EMPTY: ScalarTag = {
  default: true,
  tag: 'tag:swemake,empty',
  identify: (value) => value instanceof Empty,
  resolve: (text) => text,
  stringify: ({ value }) => (value as Empty).text,
};

function annotated(document: Document, value: Data, path: Path, comments: ReadonlyMap<string, string>): Node {
  if (Array.isArray(value) && value.length > 0) {
    const items = value.map((item, index) => annotated(document, item, [...path, `${index}`], comments));
    return document.createNode(items);
  }
  if (value !== null && typeof value === 'object' && Object.keys(value).length > 0) {
    const entries = Object.entries(value);
    return document.createNode(
      new Map(entries.map(([key, one]) => [key, annotated(document, one, [...path, key], comments)])),
    );
  }
  const node = new Scalar(leaf(value));
  const comment = comments.get(formatPath(path));
  if (comment !== undefined) node.comment = ` ${comment.replace(/\s+/g, ' ')}`;
  return node;
}

/** Text that would be read as an expression is escaped, so that it stays text. */
function leaf(value: Data): unknown {
  if (typeof value === 'string') return value.replaceAll('${env:', () => '$${env:');
  if (value !== null && typeof value === 'object') return new Empty(Array.isArray(value) ? '[]' : '{}');
  return value;
}
