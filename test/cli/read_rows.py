"""
Reads what swemake writes as its users do. `python read_rows.py load FILE…` loads each file by datasets and prints how many rows it has;
`python read_rows.py notebook FILE` runs the code of a notebook in one process and prints the names that it leaves as JSON.
"""

import json
import sys

what, *files = sys.argv[1:]

if what == "load":
    import datasets

    counts = {}
    for file in files:
        kind = "parquet" if file.endswith(".parquet") else "json"
        counts[file] = len(datasets.load_dataset(kind, data_files=file, split="train", keep_in_memory=True))
    print(json.dumps(counts))
else:
    with open(files[0], encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    scope: dict = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), files[0], "exec"), scope)
    kept = {name: scope[name] for name in ("passes", "interval")}
    kept["by_repo"] = scope["by_repo"].reset_index().to_dict("records")
    kept["ends"] = scope["ends"].reset_index().to_dict("records")
    kept["failed_tests"] = [[*key, int(count)] for key, count in scope["failed_tests"].items()]
    print(json.dumps(kept, default=lambda one: one.item()))
