"""Calls of the library: errors become exceptions, bytes and texts become Python's."""
import operator

from topogemm._native import ffi, lib


class Error(ValueError):
    """Raised for everything that the library rejects, with its message.

    `line` and `column` (from 1; 0: none) are the place in the schedule's text, or in that of a machine file.
    """

    def __init__(self, message, line=0, column=0, path=""):
        place = ", ".join(f"{name} {number}" for name, number in (("line", line), ("column", column)) if number and line)
        super().__init__(": ".join(part for part in (path, place, message) if part))
        self.message, self.line, self.column, self.path = message, line, column, path

    def __reduce__(self):
        return type(self), (self.message, self.line, self.column, self.path)


def text_of(characters):
    """A C string, or "" for NULL."""
    return ffi.string(characters).decode() if characters else ""


def call(function, *arguments, path="", placed=True):
    """The result of a function whose last argument is a TgError; `placed` if its line and column are of a text."""
    error = ffi.new("TgError *")
    result = function(*arguments, error)
    if not result:
        raise Error(text_of(error.message), error.line if placed else 0, error.column if placed else 0, path)
    return result


def call_g(function, *arguments, failure=lambda: None):
    """The result of a function whose last argument is a GError; `failure` finds the TgError of a run that failed, or None."""
    error = ffi.new("GError **")
    result = function(*arguments, error)
    if error[0] != ffi.NULL:
        message, place = text_of(error[0].message), failure()
        lib.g_error_free(error[0])
        raise Error(message, place.line if place else 0)
    return result


def bytes_of(made):
    """A copy of a GBytes, which is freed."""
    size = ffi.new("size_t *")
    data = lib.g_bytes_get_data(made, size)
    copy = bytes(ffi.buffer(data, size[0]))
    lib.g_bytes_unref(made)
    return copy


def characters(text):
    """A C string."""
    if not isinstance(text, str) or "\0" in text:
        raise Error(f"expected a text, not {text!r}")
    return ffi.new("char[]", text.encode())


def optional(text):
    """A C string, or NULL for None."""
    return ffi.NULL if text is None else characters(text)


def parsed(parse, kind, text):
    """What a parser of names such as "flow" writes into its second argument."""
    value = ffi.new(f"{kind} *")
    call(parse, characters(text), value, placed=False)
    return value[0]


def embedding_of(text):
    """A TgEmbeddingKind; its parser has the arguments the other way around."""
    kind = ffi.new("TgEmbeddingKind *")
    call(lib.tg_embedding_kind_parse, kind, characters(text), placed=False)
    return kind[0]


def whole(number, what, least=1, most=2**31 - 1):
    """A number as an int; integers of any kind are accepted, and nothing else."""
    try:
        value = operator.index(number)
    except TypeError:
        raise Error(f"{what}: expected a whole number, not {number!r}") from None
    if not least <= value <= most:
        raise Error(f"{what} is {value}: expected {least} to {most}")
    return value
