"""Writes the generated modules of the package (`npm run generate`)."""

from generate import PACKAGE, generate

if __name__ == "__main__":
    for name, source in generate().items():
        (PACKAGE / name).write_text(source, "utf-8")
