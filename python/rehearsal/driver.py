"""
Does with a generated command what its framework does, without a GPU: `driver.py PROGRAM ARGUMENTS…` or `driver.py -m MODULE …`, in the
folder and with the variables that the program would have. Writes what came of it as JSON.
"""

import json
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

SPEC = json.loads(Path(os.environ["REHEARSAL_SPEC"]).read_text())
HERE = str(Path(__file__).parent)


def main() -> int:
    from swemake_rehearsal.functions import Functions
    from swemake_rehearsal.options import read_options
    from swemake_rehearsal.report import Report

    report = Report(SPEC)
    try:
        words = sys.argv[1:]
        program, rest = (f"-m {words[1]}", words[2:]) if words[0] == "-m" else (words[0], words[1:])
        report.program(program, words[0] == "-m", rest)
        # As Python does: the folder of the program, or that of the shell for a module.
        first = os.getcwd() if words[0] == "-m" else str(Path(words[0]).resolve().parent)
        sys.path[:] = [first, *(one for one in sys.path if one != HERE), HERE]
        options = read_options(SPEC, rest, report)
        report.watch(options)
        functions = Functions(SPEC, options, report)
        import_module(f"swemake_rehearsal.{SPEC['table']['form']}").play(SPEC, options, functions, report)
    except Exception as error:  # The report says it; the driver has no other way out.
        report.failed(error, traceback.format_exc())
    report.write()
    return 0


sys.exit(main())
