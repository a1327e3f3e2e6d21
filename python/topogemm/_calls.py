"""Calls of the library: errors become exceptions, bytes and texts become Python's."""
from topogemm._native import ffi, lib


class Error(ValueError):
    """What the library refuses, in its own words.

    `line` and `column` (from 1; 0: none) are the place in the schedule's text, or in that of a machine file.
    """

    def __init__(self, message, line=0, column=0):
        super().__init__(f"line {line}, column {column}: {message}" if line and column else f"line {line}: {message}" if line else message)
        self.line = line
        self.column = column


def text_of(characters):
    """A C string, or "" for NULL."""
    return ffi.string(characters).decode() if characters else ""


def call(function, *arguments):
    """The result of a function whose last argument is a TgError."""
    error = ffi.new("TgError *")
    result = function(*arguments, error)
    if not result:
        raise Error(text_of(error.message), error.line, error.column)
    return result


def call_g(function, *arguments):
    """The result of a function whose last argument is a GError."""
    error = ffi.new("GError **")
    result = function(*arguments, error)
    if error[0] != ffi.NULL:
        message = text_of(error[0].message)
        lib.g_error_free(error[0])
        raise Error(message)
    return result


def bytes_of(made):
    """A copy of a GBytes, which is freed."""
    size = ffi.new("size_t *")
    data = lib.g_bytes_get_data(made, size)
    copy = bytes(ffi.buffer(data, size[0]))
    lib.g_bytes_unref(made)
    return copy


def optional(text):
    """A C string, or NULL for None."""
    return ffi.NULL if text is None else ffi.new("char[]", text.encode())


def parsed(parse, kind, text):
    """What a parser of names such as "flow" writes into its second argument."""
    value = ffi.new(f"{kind} *")
    call(parse, optional(text), value)
    return value[0]


def embedding_of(text):
    """A TgEmbeddingKind; its parser has the arguments the other way around."""
    kind = ffi.new("TgEmbeddingKind *")
    call(lib.tg_embedding_kind_parse, kind, optional(text))
    return kind[0]
