"""The kinds of mutations: what each of them changes, as edits of the source text.

A kind is a generator that takes the source and one node and yields edits (start, end, replacement), or lists of
them. Kinds that change a block of statements take the block instead. Candidates are numbered by position, never
by the order in which `ast` is walked, so their numbers are the same under every Python.
"""

import ast
import re

COMPARE = {
    ast.Eq: b"==", ast.NotEq: b"!=", ast.Lt: b"<", ast.LtE: b"<=", ast.Gt: b">", ast.GtE: b">=",
    ast.Is: b"is", ast.IsNot: b"is not", ast.In: b"in", ast.NotIn: b"not in",
}  # fmt: skip
BINARY = {
    ast.Add: b"+", ast.Sub: b"-", ast.Mult: b"*", ast.Div: b"/", ast.FloorDiv: b"//", ast.Mod: b"%",
    ast.Pow: b"**", ast.LShift: b"<<", ast.RShift: b">>", ast.BitAnd: b"&", ast.BitOr: b"|", ast.BitXor: b"^",
    ast.MatMult: b"@",
}  # fmt: skip
NEGATED = {b"==": b"!=", b"!=": b"==", b"<": b">=", b">=": b"<", b">": b"<=", b"<=": b">"}
SHIFTED = {b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">"}
CHANGED = {
    b"+": b"-", b"-": b"+", b"*": b"/", b"/": b"*", b"//": b"*", b"%": b"//", b"**": b"*",
    b"<<": b">>", b">>": b"<<", b"&": b"|", b"|": b"&", b"^": b"|",
    b"is": b"is not", b"is not": b"is", b"in": b"not in", b"not in": b"in", b"and": b"or", b"or": b"and",
}  # fmt: skip
ATOMIC = (
    ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant, ast.List, ast.Dict, ast.Set, ast.ListComp,
)  # fmt: skip
ASSIGNMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign)
MOVABLE = ASSIGNMENTS + (ast.Expr, ast.Delete, ast.If, ast.For, ast.While, ast.With, ast.Try)
EQUALITIES = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LONGEST_MOVED = 10  # lines


def compare_tokens(source, node, table):
    """Replacements of a comparison's operators by those of a table."""
    operands = [node.left] + node.comparators
    for left, operator, right in zip(operands, node.ops, operands[1:]):
        word = COMPARE[type(operator)]
        found = source.token_between(source.end(left), source.start(right), word)
        if word in table and found:
            yield found + (table[word],)


def flip_comparison(source, node):
    if isinstance(node, ast.Compare):
        yield from compare_tokens(source, node, NEGATED)


def shift_boundary(source, node):
    if isinstance(node, ast.Compare):
        yield from compare_tokens(source, node, SHIFTED)


def is_text(node):
    return isinstance(node, ast.JoinedStr) or isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))


def swap_operands(source, node):
    if isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)):
        left, right, word = node.left, node.right, BINARY[type(node.op)]
        if is_text(left) and word == b"%":
            return
    elif isinstance(node, ast.Compare) and len(node.ops) == 1 and not isinstance(node.ops[0], EQUALITIES):
        left, right, word = node.left, node.comparators[0], COMPARE[type(node.ops[0])]
    else:
        return
    found = source.token_between(source.end(left), source.start(right), word)
    if found is None or node.lineno != node.end_lineno:
        return
    start, end = source.start(node), source.end(node)
    first, second = source.data[start : found[0]], source.data[found[1] : end]
    gap_left, gap_right = first[len(first.rstrip()) :], second[: len(second) - len(second.lstrip())]
    first, second = first.strip(), second.strip()
    if first == second:
        return
    if not isinstance(left, ATOMIC) and source.start(left) == start:
        first = b"(" + first + b")"
    if not isinstance(right, ATOMIC) and source.end(right) == end:
        second = b"(" + second + b")"
    yield start, end, second + gap_left + source.data[found[0] : found[1]] + gap_right + first


def constants(source, node, change):
    if isinstance(node, ast.Constant) and type(node.value) is int and re.fullmatch(rb"0|[1-9]\d*", source.text(node)):
        yield source.start(node), source.end(node), str(node.value + change).encode()


def increase_constant(source, node):
    yield from constants(source, node, 1)


def decrease_constant(source, node):
    yield from constants(source, node, -1)


def change_operator(source, node):
    pairs, suffix = [], b""
    if isinstance(node, ast.Compare):
        yield from compare_tokens(source, node, CHANGED)
    elif isinstance(node, ast.BoolOp):
        word = b"and" if isinstance(node.op, ast.And) else b"or"
        pairs = [(left, word, right) for left, right in zip(node.values, node.values[1:])]
    elif isinstance(node, ast.BinOp) and not is_text(node.left) and not is_text(node.right):
        pairs = [(node.left, BINARY.get(type(node.op)), node.right)]
    elif isinstance(node, ast.AugAssign) and not is_text(node.value):
        pairs, suffix = [(node.target, BINARY.get(type(node.op)), node.value)], b"="
    for left, word, right in pairs:
        found = word in CHANGED and source.token_between(source.end(left), source.start(right), word + suffix)
        if found:
            yield found + (CHANGED[word] + suffix,)


def is_elif(source, node):
    return source.data.startswith(b"elif", source.start(node))


def is_guard(source, node):
    """`if __name__ == "__main__"` and `if TYPE_CHECKING`: changing them makes no bug."""
    return re.search(rb"__name__|TYPE_CHECKING", source.text(node.test)) is not None


def branch_line(source, node):
    """Line of the `elif` or `else` of an `if`; None when it shares its line."""
    other = node.orelse[0]
    start = source.start(other)
    if not (isinstance(other, ast.If) and is_elif(source, other)):
        found = source.token_between(source.end(node.body[-1]), start, b"else :")
        if found is None:
            return None
        start = found[0]
    line = source.data.count(b"\n", 0, start) + 1
    return line if not source.data[source.line_start(line) : start].strip() else None


def remove_branch(source, node):
    """Drops an `else`, an `elif`, or an `if` that has neither (see remove_statement)."""
    if not isinstance(node, ast.If) or is_guard(source, node) or not node.orelse:
        return
    line, other = branch_line(source, node), node.orelse[0]
    if line is None or not source.ends_line(node.end_lineno, node.end_col_offset):
        return
    last = node.end_lineno + 1
    if isinstance(other, ast.If) and is_elif(source, other) and other.orelse:
        last = branch_line(source, other)
    if last is not None:
        yield source.line_start(line), source.line_start(last), b""


def constant_condition(source, node):
    if isinstance(node, ast.If) and not is_guard(source, node) and not isinstance(node.test, ast.Constant):
        for word in (b"True", b"False"):
            yield source.start(node.test), source.end(node.test), word


def invert_if(source, node):
    if not isinstance(node, (ast.If, ast.IfExp)) or isinstance(node, ast.If) and is_guard(source, node):
        return
    test, start = node.test, source.start(node.test)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        word = re.compile(rb"not\s*").match(source.data, start)
        yield start, word.end(), b""
        return
    text = source.text(test)
    simple = isinstance(test, ATOMIC + (ast.Compare,)) and b"\n" not in text
    yield start, source.end(test), b"not " + text if simple else b"not (" + text + b")"


def remove_break(source, node):
    if isinstance(node, (ast.Break, ast.Continue)):
        yield source.start(node), source.end(node), b"pass"


def remove_wrapper(source, node):
    """`try` without its handlers, `with` without its context: the body alone stays."""
    if isinstance(node, ast.With) and any(item.optional_vars for item in node.items):
        return
    if not isinstance(node, (ast.Try, ast.With)) or not source.owns_lines(node):
        return
    outer, inner = source.indent(node), source.indent(node.body[0])
    last = node.body[-1]
    if not inner or not inner.startswith(outer) or not source.ends_line(last.end_lineno, last.end_col_offset):
        return
    body = source.dedented(inner, inner[len(outer) :], source.first_line(node.body[0]), last.end_lineno)
    yield source.lines_of(node) + (body,)


def remove_return_value(source, node):
    if isinstance(node, ast.Return) and node.value is not None and source.text(node.value) != b"None":
        yield source.start(node.value), source.end(node.value), b"None"


def change_default(source, node):
    if not isinstance(node, FUNCTIONS + (ast.Lambda,)):
        return
    for default in node.args.defaults + node.args.kw_defaults:
        if not isinstance(default, ast.Constant):
            continue
        value, span = default.value, (source.start(default), source.end(default))
        if isinstance(value, bool):
            yield span + (str(not value).encode(),)
        elif type(value) is int:
            yield span + (str(value + 1).encode(),)
        elif isinstance(value, str) and value:
            yield span + (b'""',)


def remove_decorator(source, node):
    for decorator in getattr(node, "decorator_list", []):
        first, last = decorator.lineno, decorator.end_lineno
        lead = source.data[source.line_start(first) : source.start(decorator)]
        if lead.strip() == b"@" and source.ends_line(last, decorator.end_col_offset):
            yield source.line_start(first), source.line_start(last + 1), b""


def remove_base(source, node):
    if not isinstance(node, ast.ClassDef) or not node.bases:
        return
    bases = node.bases
    for position, base in enumerate(bases):
        if source.text(base) == b"object":
            continue
        if len(bases) > 1:
            left, right = (bases[position - 1], base) if position else (base, bases[1])
            if source.token_between(source.end(left), source.start(right), b","):
                offset = source.end if position else source.start
                yield offset(left), offset(right), b""
        elif not node.keywords:
            start = source.start(node)
            header = re.compile(rb"class\s+\w+\s*(\()\s*").match(source.data, start)
            tail = re.compile(rb",?\s*\)").match(source.data, source.end(base))
            if header and tail and header.end() == source.start(base):
                yield header.start(1), tail.end(), b""


def deletion(source, statement, block):
    """The edit that takes a statement away; `pass` stays when the block would be empty."""
    if len(block) == 1:
        yield source.start(statement), source.end(statement), b"pass"
    elif source.owns_lines(statement):
        yield source.lines_of(statement) + (b"",)


def remove_assignment(source, statement, block, _position):
    # `name: type` alone assigns nothing.
    if isinstance(statement, ASSIGNMENTS) and statement.value is not None:
        yield from deletion(source, statement, block)


def remove_loop(source, statement, block, _position):
    if isinstance(statement, (ast.For, ast.While)):
        yield from deletion(source, statement, block)


def remove_if(source, statement, block, _position):
    if isinstance(statement, ast.If) and not statement.orelse and not is_guard(source, statement):
        if not is_elif(source, statement):
            yield from deletion(source, statement, block)


def movable(source, statement):
    short = statement.end_lineno - statement.lineno < LONGEST_MOVED
    note = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    guard = isinstance(statement, ast.If) and (is_guard(source, statement) or is_elif(source, statement))
    return isinstance(statement, MOVABLE) and short and not note and not guard and source.owns_lines(statement)


def swap_statements(source, statement, block, position):
    following = block[position + 1] if position + 1 < len(block) else None
    if following is None or not movable(source, statement) or not movable(source, following):
        return
    (start, middle), (other, end) = source.lines_of(statement), source.lines_of(following)
    first, second = source.data[start:middle], source.data[other:end]
    if first != second:
        yield start, end, second + source.data[middle:other] + first


NODE_KINDS = {
    "flip_comparison": flip_comparison,
    "shift_boundary": shift_boundary,
    "swap_operands": swap_operands,
    "increase_constant": increase_constant,
    "decrease_constant": decrease_constant,
    "change_operator": change_operator,
    "remove_branch": remove_branch,
    "constant_condition": constant_condition,
    "invert_if": invert_if,
    "remove_break": remove_break,
    "remove_wrapper": remove_wrapper,
    "remove_return_value": remove_return_value,
    "change_default": change_default,
    "remove_decorator": remove_decorator,
    "remove_base": remove_base,
}
BLOCK_KINDS = {
    "remove_assignment": remove_assignment,
    "remove_if": remove_if,
    "remove_loop": remove_loop,
    "swap_statements": swap_statements,
}
# Annotations say nothing at run time, match patterns have a grammar of their own.
SKIPPED_FIELDS = {"annotation", "returns", "pattern", "type_params", "type_comment"}
# Positions inside of f-strings differ between Python versions.
SKIPPED_NODES = {"JoinedStr", "TemplateStr", "TypeAlias"}


def candidates(source):
    """All mutations of a file: (function, kind, index, edit) in the order of their positions."""
    found = []
    pending = [(source.tree, "<module>")]
    while pending:
        node, scope = pending.pop()
        if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
            scope = node.name if scope == "<module>" else scope + "." + node.name
        for kind, edits in NODE_KINDS.items():
            found.extend((scope, kind, edit) for edit in edits(source, node))
        for field, value in ast.iter_fields(node):
            if field in SKIPPED_FIELDS:
                continue
            children = value if isinstance(value, list) else [value]
            children = [child for child in children if isinstance(child, ast.AST)]
            if children and all(isinstance(child, ast.stmt) for child in children):
                for position, statement in enumerate(children):
                    for kind, edits in BLOCK_KINDS.items():
                        found.extend((scope, kind, edit) for edit in edits(source, statement, children, position))
            pending.extend((child, scope) for child in children if type(child).__name__ not in SKIPPED_NODES)
    # The sort is stable: True comes before False where a condition has both.
    found.sort(key=lambda one: one[2][:2])
    counts = {}
    for scope, kind, edit in found:
        index = counts.get((scope, kind), 0)
        counts[scope, kind] = index + 1
        yield scope, kind, index, edit
