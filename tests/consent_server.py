"""A server with a tool of every kind, annotated and not, for the test of consent: `consent_server.py all ROOT`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "corpora" / "_shared"))

from toykit import Toys

toys = Toys()
TEXT = {"type": "string"}
READS = {"readOnlyHint": True}
CLOSED = {"readOnlyHint": True, "openWorldHint": False}

TOOLS = {
    "read_file": (["path"], None, "Read a text file."),
    "write_file": (["path", "content"], None, "Write a text file."),
    "fetch_url": (["url"], None, "Fetch a URL and return its content."),
    "git_log": (["repo_path"], None, "Show the commits of a git repository."),
    "git_commit": (["repo_path", "message"], None, "Record the changes of a git repository."),
    "run_sql": (["sql"], None, "Run a SQL statement."),
    "run_command": (["command"], None, "Run a shell command."),
    "send_message": (["text"], None, "Send a message to everybody."),
    "order_pizza": (["text"], {"readOnlyHint": False}, "Order a pizza."),
    "notify": (["text"], READS, "Tell a service."),
    "count_words": (["text"], CLOSED, "Count the words of a text."),
    "reset": ([], None, "Forget everything."),
    "get_status": ([], None, "Return the status."),
    "get_version": ([], READS, "Return the version."),
}


@toys.toy("pass", "")
def all(server):
    """Answers everything with one word."""
    for name, (arguments, annotations, about) in TOOLS.items():
        more = {} if annotations is None else {"annotations": annotations}
        server.tool(name, dict.fromkeys(arguments, TEXT), arguments, about, **more)(lambda arguments: "done")


if __name__ == "__main__":
    toys.main()
