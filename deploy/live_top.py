#!/usr/bin/python3
"""Shows the functions that burn CPU, from the /metrics of a running beam_exporter: live_top.py URL SECONDS

On a terminal it draws a new table every two seconds; elsewhere it prints one line every two seconds. After
SECONDS (0: never) it ends with a summary. It fails when it has never seen a function.
"""

import re
import sys
import time
import urllib.request

INTERVAL = 2.0
ROWS = 15
SAMPLE = re.compile(r'beam_function_cpu_seconds_total\{([^}]*)\} (\S+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def read(url):
    """Returns (up, {name: CPU seconds})."""
    request = urllib.request.Request(url, headers={"Accept": "text/plain; version=0.0.4"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        text = answer.read().decode()
    functions = {}
    for labels, value in SAMPLE.findall(text):
        label = dict(LABEL.findall(labels))
        functions[f'{label["module"]}:{label["function"]}'.removeprefix(":")] = float(value)
    return re.search(r"^beam_up 1$", text, re.MULTILINE) is not None, functions


def growth(before, after):
    gained = {name: value - before.get(name, 0.0) for name, value in after.items()}
    return sorted(((seconds, name) for name, seconds in gained.items() if seconds > 0), reverse=True)


def table(title, gained, elapsed):
    total = sum(seconds for seconds, _ in gained) or 1.0
    lines = [title, f'{"share":>7} {"cores":>6}  function']
    lines += [f"{100 * seconds / total:6.1f}% {seconds / elapsed:6.3f}  {name}" for seconds, name in gained[:ROWS]]
    return "\n".join(lines)


def main(url, seconds):
    on_terminal = sys.stdout.isatty()
    _, first = read(url)
    began = last_time = time.monotonic()
    last = first
    while not seconds or time.monotonic() - began < seconds:
        left = began + seconds - time.monotonic() if seconds else INTERVAL
        time.sleep(max(0.0, min(INTERVAL, left)))
        up, now = read(url)
        now_time = time.monotonic()
        gained = growth(last, now)
        if on_terminal:
            state = "attached" if up else "waiting for the VM"
            print("\x1b[H\x1b[J" + table(f"{url}   {state}   Ctrl-C ends", gained, now_time - last_time), flush=True)
        else:
            total = sum(value for value, _ in gained) or 1.0
            print("top: " + (", ".join(f"{name} {100 * value / total:.0f} %" for value, name in gained[:5])
                             or ("nothing runs" if up else "waiting for the VM")), flush=True)
        last, last_time = now, now_time
    gained = growth(first, last)
    print(table(f"Top functions by CPU time over {last_time - began:.0f} s:", gained, last_time - began))
    return 0 if gained else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], int(sys.argv[2])))
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as failure:
        print(f"live_top: {sys.argv[1]}: {failure}", file=sys.stderr)
        sys.exit(1)
