"""Generates exception classes from the problems of the contract."""

from __future__ import annotations

from contract import Contract

_HEADER = '''"""Problems by code. Generated from docs/openapi.json; do not edit."""

from .errors import HeraldError
'''


def source_of_problems(contract: Contract) -> str:
    problems = contract.problems()
    classes = [
        f'class {exception_name(code)}(HeraldError):\n    """{status}: {meaning}"""\n\n'
        f"    default_code = {code!r}\n"
        for code, (status, meaning) in problems.items()
    ]
    entries = "".join(f"    {code!r}: {exception_name(code)},\n" for code in problems)
    table = f"PROBLEMS: dict[str, type[HeraldError]] = {{\n{entries}}}\n"
    names = "".join(f"    {exception_name(code)!r},\n" for code in problems)
    exported = f"__all__ = [\n{names}]\n"
    return "\n\n".join([_HEADER, exported, *classes, table])


def exception_name(code: str) -> str:
    return "".join(word.capitalize() for word in code.split("_")) + "Error"
