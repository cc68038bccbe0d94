"""CPU of `sealmark --help` and `import sealmark` over a bare interpreter: ratios of interleaved rounds, best of nine.

Run: python tests/bench/help_cost.py
"""

import os
import resource
import subprocess
import sys

ROUNDS = 9
COMMANDS = {
    "bare interpreter": ["-c", "pass"],
    "import sealmark": ["-c", "import sealmark"],
    "sealmark --help": ["-m", "sealmark", "--help"],
    "sealmark run --help": ["-m", "sealmark", "run", "--help"],
}


def cpu(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    best = {}
    for _ in range(ROUNDS):
        for name, arguments in COMMANDS.items():
            best[name] = min(best.get(name, 1e9), cpu(arguments))
    bare = best["bare interpreter"]
    for name, seconds in best.items():
        print(f"{name:<20} {1000 * seconds:6.1f} ms  {seconds / bare:5.1f} x bare")
    return 0 if best["sealmark --help"] <= 10 * bare else 1


if __name__ == "__main__":
    sys.exit(main())
