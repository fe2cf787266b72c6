/**
 * The languages whose code is mutated by tree-sitter's grammars: which files are theirs, and how their grammars call what the kinds of
 * mutations change. The types of nodes are those of the grammars' own `node-types.json`.
 */
import type { SyntaxNode } from '../../../basics/syntax-tree.ts';

export interface Language {
  /** Of the grammar, as in `tree-sitter-NAME.wasm`. */
  grammar: string;
  /** Endings of files. */
  files: RegExp;
  /** Files that hold tests, or build the project. */
  tests: RegExp;
  /** Functions and methods whose body can be taken away. */
  functions: ReadonlySet<string>;
  /** What names a part of a qualified name besides functions, by the field that has the name. */
  scopes: Readonly<Record<string, string>>;
  /** Statements that can be taken away: assignments and calls. */
  statements: ReadonlySet<string>;
  /** Statements that raise an error. */
  throws: ReadonlySet<string>;
  integers: ReadonlySet<string>;
  /** A body in place of a function's, between braces. */
  emptied: string;
  /** `return` in place of one with a value; null: the compiler wants a value. */
  bareReturn: string | null;
  /** Braces are part of an `if`'s branch; conditions stand in parentheses. */
  parentheses: boolean;
  /** Whether code below a node is code of tests. */
  isTest?(node: SyntaxNode): boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const JAVASCRIPT: Language = {
  grammar: 'javascript',
  files: /\.[cm]?jsx?$/,
  tests:
    /[._-](?:type-?test|test|spec)(?:-d)?\.\w+$|\.(?:bench|cy|e2e|stories)\.\w+$|^tests?\.\w+$|\.conf(?:ig)?\.\w+$|\.min\.js$|^(?:Gruntfile|Gulpfile|benchmark)\.\w+$/i,
  functions: words(
    'function_declaration function_expression generator_function_declaration method_definition arrow_function',
  ),
  scopes: { class_declaration: 'name', class: 'name' },
  statements: words('expression_statement'),
  throws: words('throw_statement'),
  integers: words('number'),
  emptied: ` throw new Error('not implemented') `,
  bareReturn: 'return undefined',
  parentheses: true,
};

const TYPESCRIPT: Language = {
  ...JAVASCRIPT,
  grammar: 'typescript',
  files: /(?<!\.d)\.[cm]?ts$/,
  scopes: { ...JAVASCRIPT.scopes, internal_module: 'name', abstract_class_declaration: 'name' },
  bareReturn: null,
};

export const LANGUAGES: readonly Language[] = [
  {
    grammar: 'go',
    files: /\.go$/,
    tests: /_test\.go$/,
    functions: words('function_declaration method_declaration'),
    scopes: {},
    statements: words('assignment_statement expression_statement inc_statement dec_statement'),
    throws: words(''),
    integers: words('int_literal'),
    emptied: ` panic("not implemented") `,
    bareReturn: null,
    parentheses: false,
  },
  JAVASCRIPT,
  TYPESCRIPT,
  { ...TYPESCRIPT, grammar: 'tsx', files: /\.tsx$/ },
  {
    grammar: 'rust',
    files: /\.rs$/,
    tests: /^(?:build|tests?)\.rs$|_tests?\.rs$/,
    functions: words('function_item'),
    scopes: { impl_item: 'type', mod_item: 'name', trait_item: 'name' },
    statements: words('expression_statement'),
    throws: words(''),
    integers: words('integer_literal'),
    emptied: ' unimplemented!() ',
    bareReturn: null,
    parentheses: false,
    isTest: (node) =>
      (node.type === 'mod_item' && attributesOf(node).some((text) => /cfg\s*\(.*\btest\b/.test(text))) ||
      (node.type === 'function_item' && attributesOf(node).some((text) => /^#\[[\w:]*\btest\b/.test(text))),
  },
  {
    grammar: 'java',
    files: /\.java$/,
    tests: /Tests?\.java$|^Test\w*\.java$/,
    functions: words('method_declaration constructor_declaration'),
    scopes: { class_declaration: 'name', interface_declaration: 'name', enum_declaration: 'name' },
    statements: words('expression_statement'),
    throws: words('throw_statement'),
    integers: words('decimal_integer_literal'),
    emptied: ' throw new UnsupportedOperationException(); ',
    bareReturn: null,
    parentheses: true,
  },
  {
    grammar: 'cpp',
    files: /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|ipp|inl)$/,
    tests: /(?:^|[_-])(?:unit)?tests?\.\w+$|^test[_-]/i,
    functions: words('function_definition'),
    scopes: { namespace_definition: 'name', class_specifier: 'name', struct_specifier: 'name' },
    statements: words('expression_statement'),
    throws: words('throw_statement'),
    integers: words('number_literal'),
    emptied: ' __builtin_trap(); ',
    bareReturn: null,
    parentheses: true,
  },
];

/** Of a file by its name; null: none is known, or its code is not mutated by grammars. */
export function languageOf(path: string): Language | null {
  return LANGUAGES.find(({ files }) => files.test(path)) ?? null;
}

function attributesOf(node: SyntaxNode): string[] {
  const texts: string[] = [];
  for (let at = node.previousNamedSibling; at?.type === 'attribute_item'; at = at.previousNamedSibling)
    texts.push(at.text);
  return texts;
}
