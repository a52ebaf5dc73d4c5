# check_links.py ROOT - links between Markdown pages lead to a file and to a heading, files and folders of the repository
# that the pages name in `code` exist, and README.md links every page.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import itertools
import os
import pathlib
import re
import sys

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"(?<!`)`([^`\s]+)`(?!`)")
FENCE = re.compile(r"^\s*```.*?^\s*```", re.MULTILINE | re.DOTALL)
FOLDERS = ("docs", "examples", "benchmarks", "test/golden")
# Names with these extensions are files of the repository, unless a code block of the page writes them.
SOURCES = (".cpp", ".def", ".h", ".md", ".mlir", ".py", ".sh", ".td", ".test")


def anchors(path):
    """The anchors of the headings of a page, as GitHub forms them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def expand(name):
    """`a/{b,c}` as [`a/b`, `a/c`]."""
    parts = re.split(r"\{([^{}]*)\}", name)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def list_files(root):
    """Paths of all files and folders below the root, without hidden folders and build folders."""
    paths = set()
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build", "__pycache__"))]
        paths.update(pathlib.Path(folder, name).relative_to(root).as_posix() for name in folders + files)
    return paths


def is_path(name, root):
    """Whether a name in `code` must be a file or folder of the repository."""
    name = name.rstrip("/")
    if re.search(r"[^\w./{},+-]", name) or name.startswith((".", "/", "-")):
        return False
    first = name.split("/")[0]
    return ("/" in name and first != "build" and (root / first).is_dir()) or name.endswith(SOURCES)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    files = list_files(root)
    pages = sorted(root.glob("*.md"))
    for folder in FOLDERS:
        pages += sorted((root / folder).rglob("*.md"))
    links = names = failed = 0
    linked = {root / "README.md"}

    def fail(page, text, problem):
        nonlocal failed
        failed += 1
        print(f"{page.relative_to(root)}: error: {text}: {problem}")

    for page in pages:
        text = page.read_text(encoding="utf-8")
        for target in LINK.findall(text):
            if "://" in target:
                continue
            links += 1
            name, _, anchor = target.partition("#")
            path = (page.parent / name).resolve() if name else page
            if page == root / "README.md":
                linked.add(path)
            if not path.exists():
                fail(page, target, "no such file")
            elif anchor and path.suffix == ".md" and anchor not in anchors(path):
                fail(page, target, "no such heading")
        blocks = "".join(FENCE.findall(text))
        for code in CODE.findall(FENCE.sub("", text)):
            if not is_path(code, root) or ("/" not in code and code in blocks):
                continue
            names += 1
            for name in expand(code.rstrip("/")):
                if name not in files and not any(path.endswith("/" + name) for path in files):
                    fail(page, f"`{name}`", "no such file in the repository")
    for page in pages:
        if page not in linked:
            fail(root / "README.md", page.relative_to(root), "no link to this page")
    print(f"{links} links and {names} file names of {len(pages)} pages, {failed} fail")
    return 1 if failed or not links or not names else 0


sys.exit(main())
