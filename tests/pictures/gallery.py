"""Makes the gallery: the output of each tool beside a busy VM, and pictures of the pages (gallery/).

cd tests && python3 -B -m pictures.gallery
"""

import subprocess
import time

from harness import exporter, requirements
from harness.browser import Browser
from harness.processes import BUILD, REPO
from harness.watched_shop import shop

FOLDER = REPO / "gallery"
HEAD = """# Gallery

What the tools print and the pages show beside a busy demo VM (`tests/targets/busy_shop.erl`). `tests/pictures/gallery.py` has run each
command and taken each picture; long outputs are cut at `...`.

## The live page

`http://localhost:10125/`

![The live page](../exporter/web/images/live_page.png)

## A flame graph

`http://localhost:10125/flamegraph?seconds=10`, or `beam_exporter profile --output=shop.html`. With `--include-kernel` the functions of the
Linux kernel stand on top.

![A flame graph](flame_graph.png)

The same samples, coloured by the state of the scheduler:

![A flame graph, coloured by state](flame_graph_states.png)
"""
# (title, command, how many lines; a text: from the line that has it)
TOOLS = (
    ("The hottest functions", "top --duration=4 --interval=4 --limit=10", 14, None),
    ("The same as a flame graph of text", "top --duration=4 --interval=4 --view=flame --limit=8", 16, None),
    ("For whom a C function works", "blame copy_struct --duration=4 --limit=3", 24, None),
    ("What the schedulers run now", "pstack", 24, None),
    ("What all processes wait for", "pstack --processes --limit=3", 22, None),
    ("Who is large", "heap --limit=6", 24, None),
    ("Who works, since two seconds", "heap --sort=reductions --diff=2 --limit=5", 24, None),
    ("What is wrong with the memory", "memory", 40, None),
    ("A report: its schedulers", "report --limit=3", 18, "2. Schedulers"),
    ("A report: its tables", "report --limit=3", 9, "7. ETS tables"),
)


def cut(text, lines, begin):
    for folder, shown in ((f"{BUILD}/targets/25/", "tests/targets/"), (f"{REPO}/", "")):
        text = text.replace(folder, shown)
    found = text.rstrip("\n").splitlines()
    if begin:
        found = found[found.index(begin):]
    return "\n".join(line[:150] for line in found[:lines]) + ("\n..." if len(found) > lines else "")


def tool_sections(vm):
    for title, command, lines, begin in TOOLS:
        words = command.split()
        result = exporter.run(words[0], f"--target.pid={vm.pid}", *words[1:], check=True)
        yield f"\n## {title}\n\n```\n$ beam_exporter {command}\n{cut(result.stdout, lines, begin)}\n```\n"


def flame_pictures(browser, watching):
    browser.resize(width=1280, height=720)
    browser.goto(url=watching.url + "/flamegraph?seconds=10")
    time.sleep(2)
    browser.screenshot(path=str(FOLDER / "flame_graph.png"))
    browser.goto(url=watching.url + "/flamegraph?seconds=10#colours=state")
    time.sleep(2)
    browser.screenshot(path=str(FOLDER / "flame_graph_states.png"))


def main():
    requirements.program("pngquant")
    with shop() as (vm, watching), Browser() as browser:
        vm.ask("holes 100")
        flame_pictures(browser, watching)
        (FOLDER / "README.md").write_text(HEAD + "".join(tool_sections(vm)))
    for image in FOLDER.glob("*.png"):
        subprocess.run(["pngquant", "--force", "--ext=.png", "128", image], check=True)
        print(f"{image.name}: {image.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
