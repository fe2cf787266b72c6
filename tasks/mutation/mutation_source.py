"""One Python file as bytes and syntax tree together.

`ast` says where things are, the bytes are what is edited: comments and formatting outside of an edit stay as they
are. Positions of `ast` count bytes of UTF-8, so everything here works on bytes.
"""

import ast
import io
import re
import tokenize

TOKEN = re.compile(rb"#[^\n]*|[A-Za-z_]\w*|[^\s\w()\\#]+")


class Unsupported(Exception):
    """The file cannot be edited by byte positions, or holds no such mutation."""


class Source:
    """A parsed file. Raises Unsupported when it is not plain UTF-8 Python that this interpreter reads."""

    def __init__(self, data):
        self.data = data
        if b"\r" in data.replace(b"\r\n", b"") or data.startswith(b"\xef\xbb\xbf"):
            raise Unsupported("line ends or byte order mark are not supported")
        try:
            encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
            if encoding not in ("utf-8", "ascii"):
                raise Unsupported("encoding %s is not supported" % encoding)
            data.decode(encoding)
            self.tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Unsupported("cannot be parsed: %s" % error)
        self.line_starts = [0] + [match.end() for match in re.finditer(b"\n", data)]
        if self.line_starts[-1] != len(data):
            self.line_starts.append(len(data))
        self._string_lines = None

    def start(self, node):
        return self.line_starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node):
        return self.data[self.start(node) : self.end(node)]

    def line_start(self, line):
        """Offset of a 1-based line; of the end of the file for the line behind the last."""
        return self.line_starts[line - 1]

    def first_line(self, statement):
        """The statement's first line, its decorators included."""
        decorators = getattr(statement, "decorator_list", [])
        return min([statement.lineno] + [decorator.lineno for decorator in decorators])

    def indent(self, statement):
        """White space in front of a statement; None when something else stands there."""
        line = self.first_line(statement)
        lead = self.data[self.line_start(line) :]
        blank = re.match(rb"[ \t\f]*", lead).group()
        first = self.line_start(line) + len(blank)
        return blank if first == self.start(statement) or self.data[first : first + 1] == b"@" else None

    def ends_line(self, line, column):
        """Only a comment follows on that line, and the line has an end."""
        tail = self.data[self.line_start(line) + column : self.line_start(line + 1)]
        return re.match(rb"[ \t]*(#[^\n]*)?\r?\n\Z", tail) is not None

    def owns_lines(self, statement):
        """Nothing else stands on the statement's lines."""
        return self.indent(statement) is not None and self.ends_line(statement.end_lineno, statement.end_col_offset)

    def lines_of(self, statement):
        """Offsets of the statement's whole lines."""
        return self.line_start(self.first_line(statement)), self.line_start(statement.end_lineno + 1)

    def token_between(self, left, right, expected):
        """Offsets of an operator or keyword between two offsets; None when anything else stands there."""
        found = [match for match in TOKEN.finditer(self.data, left, right) if not match.group().startswith(b"#")]
        if b" ".join(match.group() for match in found) != expected:
            return None
        return found[0].start(), found[-1].end()

    def dedented(self, body, extra, first, last):
        """Lines first..last (1-based, inclusive) with `extra` taken from the indentation `body`."""
        result = []
        for line in range(first, last + 1):
            text = self.data[self.line_start(line) : self.line_start(line + 1)]
            if line not in self.string_lines() and text.startswith(body):
                text = body[: len(body) - len(extra)] + text[len(body) :]
            result.append(text)
        return b"".join(result)

    def string_lines(self):
        """Lines that begin inside of a string, where indentation is content."""
        if self._string_lines is None:
            self._string_lines = set()
            for node in ast.walk(self.tree):
                if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno != node.lineno:
                    self._string_lines.update(range(node.lineno + 1, node.end_lineno + 1))
        return self._string_lines
