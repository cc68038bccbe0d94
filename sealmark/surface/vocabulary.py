"""The words by which arguments and tools are recognised: names as words of identifiers, and phrases of descriptions."""

# ruff: noqa: E501 - one pattern to a line

from __future__ import annotations

import re

from sealmark.reading.words import alternatives, table

# ---- paths

PATH_LAST = table("path, paths, dir, dirs, directory, directories, folder, folders, cwd")
"""Last words of a name that make it a path by itself."""
FILE_WORDS = table(
    "file, files, filename, directory, directories, dir, folder, folders, path, paths, document, workbook, filesystem"
)
"""Words of a tool's name that speak of files."""
PATH_WEAK = table("""
    source, destination, src, dst, dest, target, from, to, old, new, name, names, uri, location, root, workspace, project
    input, output, document, image, video, audio, attachment, archive, template, dataset, database, db, workbook, notebook
    spreadsheet, pdf, csv
""")
"""Last words of a name that may be a path if something else says so."""
NOT_FILES = table("""
    url, json, xpath, jsonpath, api, http, https, request, route, key, field, property, object, xml, element, svg, jq, web
    endpoint, sql, class, career, learning, category, menu, breadcrumb, registry, yaml, css, dom, import, module, query, metric
""")
"""Words before `path` that make it something else."""
PATH_TEXT = alternatives(r"""
    \b(?:file|folder|directory|dir|document|image|workbook|config|local|absolute|relative|full|fs|filesystem)[ -]?paths?\b
    \b(?:output|input|source|destination|target)[ -]?paths?\b
    \bpaths? (?:to|of|for|where|relative|inside|within|in)\b
    \bpaths?, (?:absolute|relative)\b
    \bfile ?names?\b
    \b(?:working|parent|target|root|base|source|destination|output|starting|current) (?:directory|folder)\b
    \b(?:directory|folder) (?:to|in which|where|containing|name)\b
    \bfile (?:to (?:read|write|edit|open|load|save|create|delete|move|copy|process|convert|analy[sz]e|parse|search)|location)\b
    \bfile://
""")
FILE_TEXT = alternatives(r"""
    \b(?:files?|filesystem|file system|director(?:y|ies)|folders?|workbooks?)\b
    \.\w{2,5} file\b
""")
NOT_PATH_TEXT = alternatives(r"""
    \b(?:URL|JSON|API|HTTP|request|endpoint|object|property|key|dotted|dot|route|web|XML|class|module|import|query|field|schema|node|S3)[ -]paths?\b
    \bJSON ?Path\b
    \bXPath\b
    \bJMESPath\b
    \bdot notation\b
    \bpath (?:of|in|on) the (?:URL|API|website|server's API)\b
""")
FILTER_TEXT = alternatives(r"""
    ^\W{0,3}(?:optional\W{1,3})?filters?\b
    \bfilter (?:by|on|entries|results|tools)\b
    \bto filter\b
""")
REMOTE = ({"owner", "repo"}, {"owner", "repository"}, {"bucket"}, {"project_id"}, {"namespace", "pod"})
"""Names beside a path that place it in a remote service."""
REQUEST = ({"method", "headers"}, {"method", "body"}, {"headers", "body"}, {"http_method"})
"""Names beside a path that make it the path of a request."""
PAIRS = (
    ("source", "destination"),
    ("src", "dst"),
    ("src", "dest"),
    ("from", "to"),
    ("source", "target"),
    ("old", "new"),
)

# ---- URLs

URL_LAST = table("url, urls, uri, uris, href, hrefs, webhook, website")
URL_WEAK = table("""
    link, links, endpoint, address, page, site, webpage, target, source, input, data, location, host, domain, src, image, feed
""")
URL_TEXT = alternatives(r"""
    \bURLs?\b
    \bhttps?://
    \bweb ?(?:page|site)s?\b
    \bhttps?:\s
    \blinks? to\b
""")
WEB_TEXT = alternatives(r"""
    \bURLs?\b
    \bhttps?\b
    \bweb ?(?:page|site)s?\b
    \binternet\b
""")
RESOURCE_TEXT = alternatives(r"""
    \b(?:MCP )?resource (?:URI|identifier|to read|link)
    \bURI of the (?:MCP )?resource\b
    \b(?:document|notebook|text) ?URI\b
    \b(?!https?:)(?!file:)[a-z]{3,20}://
""")
WEB_TOOL = table("""
    fetch, web, url, urls, download, browse, browser, crawl, scrape, http, page, site, navigate, link, request, curl
""")

# ---- commands

COMMAND_NAMES = table("""
    command, commands, cmd, cmds, command line, cmd line, shell command, bash command, shell cmd, command string
    full command, command text, powershell command, terminal command, command to run
""")
COMMAND_WEAK = table("script, shell, bash, powershell, argv, executable, program, binary, exec")
COMMAND_TEXT = alternatives(r"""
    \b(?:shell|bash|terminal|system|cmd|powershell|console|cli|unix|linux|os)[ -](?:commands?|script|line)\b
    \bcommands? (?:line )?to (?:be )?(?:run|execute|send|exec)
    \b(?:execut\w{1,4}|runs?|running) (?:(?:an?|the|any|arbitrary|allowed|single|given|shell|bash|system|terminal) ){0,4}(?:commands?|program|script|executable)\b
""")
COMMAND_TOOL = table("""
    run, exec, execute, shell, command, bash, terminal, cmd, powershell, process, spawn, cli, ssh, console
""")

# ---- SQL

SQL_NAMES = table("""
    sql, sql query, sql statement, sql text, sql code, sql string, sql command, sql queries, raw sql, query sql
""")
QUERY_NAMES = table(
    "query, queries, statement, statements, query string, query text, select query, q, script, expression"
)
SQL_TEXT = alternatives(r"""
    \b(?:T-)?SQL\b
    \b(?:sqlite|postgres(?:ql)?|mysql|mariadb|duckdb|bigquery|snowflake|clickhouse|mssql|sql server)\b
    \b(?:redshift|cockroachdb|trino|databricks)\b
    \b(?:DDL|DML)\b
    \bSELECT (?:\*|quer|statement|SQL)
    \bINSERT INTO\b
    \bCREATE TABLE\b
""")
NOT_SQL_TEXT = alternatives(r"""
    \bnatural[- ]language\b
    \b(?:GraphQL|Cypher|SPARQL|PromQL|KQL|JQL|Lucene|NoSQL)\b
    \bkeywords?\b
    \bsearch (?:query|term|string|text)\b
""")
SQL_TOOL = table(
    "sql, sqlite, postgres, postgresql, mysql, mariadb, duckdb, bigquery, snowflake, clickhouse, mssql, redshift"
)

# ---- git

REPO_NAMES = table("""
    repo path, repository path, git dir, git path, git directory, repo dir, repo root, repository root, git root
    git repo path, local repo, local repo path, local path, repo directory, repository directory, worktree path
    git repo, git repository, repo paths
""")
REPO_PATH_TEXT = alternatives(r"""
    \b(?:path|directory|folder|root|location)\b[^.\n]{0,40}\brepo(?:sitory)?\b
    \brepo(?:sitory)?\b[^.\n]{0,30}\b(?:path|directory|folder|root)\b
""")
IN_REPO_TEXT = alternatives(r"\b(?:within|inside|in|relative to) (?:the |a )?(?:git )?repo")
GIT_TEXT = alternatives(r"\bgit\b")
HUB_TEXT = alternatives(r"\b(?:github|gitlab|bitbucket|gitea|azure devops)\b")
REPO_PLACES = table("""
    path, cwd, directory, dir, working directory, working dir, work dir, project path, root path, root
""")

# ---- verbs

VERBS = (
    ("stat", table("stat, info, metadata, exists, size, checksum, hash, properties, attributes")),
    ("search", table("search, find, grep, glob, locate, ripgrep, rg")),
    ("move", table("move, rename, mv")),
    ("copy", table("copy, cp, duplicate")),
    ("delete", table("delete, remove, rm, unlink, trash, erase")),
    ("edit", table("edit, patch, replace, modify, update, insert, apply, sed, change, rewrite")),
    ("list", table("list, ls, tree, readdir, scan, browse, walk, listing")),
    ("write", table("write, save, put, store, append, overwrite, export, download, dump")),
    ("create", table("create, make, new, touch, init, generate")),
    ("read", table("""
        read, get, cat, view, open, load, show, fetch, head, tail, import, upload, parse, analyze, extract, preview, print, describe
    """)),
)  # fmt: skip
"""Words of a tool's name, the most telling verb first: `get_file_info` is about the info, not about getting."""
VERB_NAMES = frozenset(name for name, _ in VERBS)
VERB_WORDS = frozenset(word for _, any_of in VERBS for word in any_of)
FIRST_VERB = alternatives(r"""
    \b(search|find|move|rename|copy|delete|remove|edit|modify|replace|update)(?:e?s)?\b
    \b(list|write|save|append|create|overwrite|read|get|retrieve|return|view|load|show)(?:e?s)?\b
""")
LIKE_VERB = {
    "rename": "move",
    "remove": "delete",
    "modify": "edit",
    "replace": "edit",
    "update": "edit",
    "save": "write",
    "append": "write",
    "overwrite": "write",
    "find": "search",
}
FILE_NOUNS = table("""
    file, files, directory, directories, dir, folder, folders, path, paths, tree, workbook, workbooks, document, documents
    doc, docx, pdf, xlsx, csv, image, archive, zip, project, notebook, presentation, spreadsheet, text, media, multiple
    item, items, entry, resource
""")
"""Words of a tool's name that stand for whole files; other nouns are parts of one, such as a sheet."""

# ---- roles of arguments

SOURCES = table("source, src, from, old, input, origin, original")
DESTINATIONS = table("destination, dest, dst, to, new, target, output, out")
OUTPUTS = table("output, out, save, export, destination, dest, dst, saved")
INPUTS = table("input, source, src, image, csv, template")
OUTPUT_TEXT = alternatives(r"""
    \b(?:where|path|file ?name|directory|folder|file) to (?:save|write|store|export|download|clone|extract|put|output)\b
    \b(?:save|saved|write|written|export|exported|stored?|download|downloaded|clone|cloned|extract|extracted) (?:\w{1,15} ){0,3}?(?:to|into)\b
    \boutput (?:file|path|directory|folder)\b
""")
CONTENT_NAMES = table("""
    content, contents, text, data, body, file content, file contents, content base 64, new content, file text, file data
    new text, value, lines, code, markdown, csv data, base 64
""")
OLD_NAMES = table("""
    old text, old str, old string, old content, search, find, old, search text, original, target text, old lines, match, before
""")
NEW_NAMES = table("""
    new text, new str, new string, new content, replacement, replace, new, replace text, replace with, updated, new lines
    replacement text, after
""")
PATTERN_NAMES = table("""
    pattern, patterns, query, regex, glob, search, term, keyword, search term, search pattern, search query, search text
    text, name, file pattern, regexp, expression, glob pattern
""")
CWD_NAMES = table("cwd, work dir, working directory, working dir, current directory")
SQL_WRITERS = table("write, insert, update, delete, modify, create, alter, drop, ddl, dml, mutate, upsert, migrate")
SQL_WRITING = re.compile(
    r"\b(?:modif(?:y|ies)|changes?|writes?) (?:the )?(?:data|rows|tables)\b"
    r"|\binsert\b[^.]{0,40}\b(?:update|delete)\b",
    re.IGNORECASE,
)
SQL_DENYING = re.compile(
    r"\b(?:only|not|no|never|cannot|without|block\w*|reject\w*|forbid\w*|refus\w*|disallow\w*|prevent\w*)\b"
    r"|read.?only|n't\b",
    re.IGNORECASE,
)
GIT_WRITERS = table("""
    commit, add, reset, checkout, create, init, clone, push, stash, pop, apply, merge, rebase, cherry, pick, tag, pull, fetch
    rm, remove, delete, mv, restore, revert, switch, worktree
""")
GIT_READERS = table("status, diff, log, show, list, get, blame, read, view, describe, history, files, branches")
REF_WORDS = table("ref, refs, revision, rev, commit, hash, sha, branch, tag, target, base, head, remote")
REF_TEXT = alternatives(r"\b(?:commit|ref|revision|branch|sha|tag)s?\b")
