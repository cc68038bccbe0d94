"""Every machine format validates against its official schema, with no, one and many findings and with hostile text."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest
import xmlschema
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from sarif_kit.validate import validation_errors

from sealmark.errors import UsageError
from sealmark.record.codec import load_many
from sealmark.record.model import Badge, Coverage, Integrity
from sealmark.report import FORMATS, Location, Options, render
from sealmark.report.github import annotate, job_summary
from sealmark.report.view import build
from sealmark.settings.rows.output import FORMATS as CONFIGURED
from tests import runs
from tests.golden import DATA

XSD = xmlschema.XMLSchema(DATA / "junit-10.xsd")
ENDPOINT = {
    "type": "object",
    "required": ["schemaVersion", "label", "message"],
    "additionalProperties": False,
    "properties": {
        "schemaVersion": {"const": 1},
        "label": {"type": "string"},
        "message": {"type": "string", "minLength": 1},
        "color": {"type": "string"},
        "labelColor": {"type": "string"},
        "isError": {"type": "boolean"},
    },
}
"""The fields of the endpoint document that a badge service reads."""

SETS = {
    "no finding": [runs.clean()],
    "one finding": [runs.simple({"protocol": "fail", "tool-poisoning": "pass"})],
    "many findings": [runs.escapes()],
    "custom": [runs.undecided()],
    "failed": [runs.broken()],
    "not judged": [runs.run(None)],
    "hostile": [runs.hostile()],
    "hostile failure": [runs.hostile_failure()],
    "several": runs.RUNS["several"](),
    "nothing applied": [runs.judged(runs.clean(), verdicts=(), grades=(), catalogue=())],
}
sets = pytest.mark.parametrize("records", SETS.values(), ids=SETS)
single = pytest.mark.parametrize("record", [r for records in SETS.values() for r in records[:1]], ids=SETS)


def test_every_configured_format_renders_or_is_made_elsewhere():
    assert set(FORMATS) <= set(CONFIGURED)
    assert set(CONFIGURED) - set(FORMATS) <= {"html"}


@sets
@pytest.mark.parametrize("name", FORMATS)
def test_every_format_renders_every_set(name, records):
    if name in ("badge", "shields") and len(records) > 1:
        with pytest.raises(UsageError, match="one server"):
            render(name, records)
        return
    out = render(name, records)
    assert out.endswith("\n")
    assert out == render(name, records)


def test_an_unknown_format_and_no_run_are_usage_errors():
    with pytest.raises(UsageError, match="no format"):
        render("pdf", [runs.clean()])
    with pytest.raises(UsageError, match="no run"):
        render("text", [])


# -- json ----------------------------------------------------------------------------------------------------------


@sets
def test_json_reads_back(records):
    assert list(load_many(render("json", records).encode())) == records


# -- junit ---------------------------------------------------------------------------------------------------------


@sets
def test_junit_follows_the_xsd(records):
    assert not list(XSD.iter_errors(render("junit", records)))


def cases(record, **options):
    root = ElementTree.fromstring(render("junit", [record], Options(**options)))
    return {case.get("classname").rsplit(".", 1)[1]: case for case in root.iter("testcase")}, root


def test_junit_maps_verdicts():
    found, root = cases(runs.escapes())
    assert found["fs-read-escape"].find("failure").get("type") == "FS_READ_ESCAPE_WENT_WRONG"
    assert found["robust-input"].find("system-out").text.startswith("PART (scored)")
    assert list(found["protocol"]) == []
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("6", "2", "0")
    other, _ = cases(runs.undecided())
    assert other["tool-poisoning"].find("skipped").get("message").startswith("INCONCLUSIVE: ")
    assert cases(runs.clean())[0]["fs-size-cap"].find("skipped") is not None
    advisory, _ = cases(runs.simple({"protocol": "pass", "refusal-quality": "fail"}))
    assert advisory["refusal-quality"].find("failure") is None
    assert advisory["refusal-quality"].find("system-out").text.startswith("FAIL (candidate, not scored)")


def test_junit_of_a_failed_start_has_an_error():
    found, root = cases(runs.broken())
    assert found["start"].find("error").get("type") == "TARGET_EXITED"
    assert root.get("errors") == "1"


def test_junit_totals_add_up_and_times_are_measured():
    for records in SETS.values():
        root = ElementTree.fromstring(render("junit", records))
        suites = root.findall("testsuite")
        for key in ("tests", "failures", "errors"):
            assert int(root.get(key)) == sum(int(suite.get(key)) for suite in suites)
        for suite in suites:
            assert int(suite.get("tests")) == len(suite.findall("testcase"))
    found, _ = cases(runs.escapes())
    assert float(found["fs-read-escape"].get("time")) > 0


def test_junit_names_file_and_line_of_the_server():
    found, root = cases(runs.escapes(), locations={"files": Location("conf/sealmark.yaml", 7)})
    assert found["fs-read-escape"].find("failure").text.endswith("at conf/sealmark.yaml:7")
    properties = {p.get("name"): p.get("value") for p in root.find("testsuite").iter("property")}
    assert (properties["file"], properties["line"]) == ("conf/sealmark.yaml", "7")


# -- sarif ---------------------------------------------------------------------------------------------------------


def log(records, **options):
    return json.loads(render("sarif", records, Options(**options)))


@sets
def test_sarif_follows_the_schema(records):
    assert validation_errors(log(records)) == []


def test_sarif_has_every_rule_on_a_clean_run_and_one_result_per_finding():
    (clean,) = log([runs.clean()])["runs"]
    assert clean["results"] == []
    assert [rule["id"] for rule in clean["tool"]["driver"]["rules"]] == [
        entry.check for entry in runs.clean().judgement.catalogue
    ]
    (found,) = log([runs.escapes()])["runs"]
    assert [(r["ruleId"], r["level"]) for r in found["results"]] == [
        ("fs-read-escape", "error"),
        ("fs-write-escape", "error"),
        ("robust-input", "warning"),
    ]
    for result in found["results"]:
        assert found["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


@pytest.mark.parametrize(("tag", "level"), [("fail", "warning"), ("part", "note")])
def test_sarif_puts_advisory_findings_one_step_lower(tag, level):
    (found,) = log([runs.simple({"protocol": "pass", "refusal-quality": tag})])["runs"]
    assert [result["level"] for result in found["results"]] == [level]


@pytest.mark.parametrize("status", ["partial", "interrupted", "failed", "complete"])
def test_sarif_is_successful_only_when_complete(status):
    (found,) = log([replace(runs.clean(), status=status)])["runs"]
    assert found["invocations"][0]["executionSuccessful"] is (status == "complete")


def test_sarif_of_a_failed_start_says_why():
    (found,) = log([runs.broken()])["runs"]
    notes = found["invocations"][0]["toolExecutionNotifications"]
    assert notes[0]["message"]["text"].startswith("TARGET_EXITED: the server ended")


def test_sarif_carries_label_and_location():
    (found,) = log([runs.escapes()], locations={"files": Location("a dir/sealmark.yaml", 3)})["runs"]
    assert found["properties"]["label"] == "STANDARD"
    place = found["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20dir/sealmark.yaml"
    assert place["region"]["startLine"] == 3
    (custom,) = log([runs.undecided()])["runs"]
    assert custom["properties"]["label"] == "CUSTOM"
    assert custom["properties"]["differences"] == ["timeouts.probe_sec", "packs"]


def test_sarif_fingerprints_hold_still_while_texts_and_counts_move():
    def prints(record):
        return [r["partialFingerprints"]["sealmark/v1"] for r in log([record])["runs"][0]["results"]]

    record = runs.escapes()
    reworded = tuple(replace(v, summary="Other words.", probes=99) for v in record.judgement.verdicts)
    assert prints(runs.judged(record, verdicts=reworded)) == prints(record)
    assert len(set(prints(record))) == 3
    other = runs.but(record, server=replace(runs.SERVER, name="other"))
    assert not set(prints(other)) & set(prints(record))


def test_sarif_messages_hold_no_link_and_no_placeholder():
    (found,) = log([runs.hostile("[x](0) {0} \\[y](1)")])["runs"]
    for result in found["results"]:
        text = result["message"]["text"]
        assert not re.search(r"(?<!\\)(?:\\\\)*\[", text)
        assert not re.search(r"(?<!\{)\{\d+\}", text)


# -- badge and shields ---------------------------------------------------------------------------------------------

ELIGIBLE = runs.clean()


def message(record):
    return json.loads(render("shields", [record]))["message"]


BADGES = {
    "eligible": (ELIGIBLE, "core A · fs A · self-reported", "brightgreen"),
    "worst letter decides the colour": (runs.escapes(), "core B · fs F · self-reported", "red"),
    "custom run": (runs.judged(ELIGIBLE, integrity=Integrity(False, "h")), "no badge: custom run", "lightgrey"),
    "core only": (runs.simple({"protocol": "pass"}), "no badge: core only", "lightgrey"),
    "provisional": (
        runs.simple({"protocol": "pass", "fs-read-escape": "inconclusive", "fs-size-cap": "pass"}),
        "no badge: provisional",
        "lightgrey",
    ),
    "nothing graded": (runs.simple({"fs-size-cap": "na"}), "no badge: nothing graded", "lightgrey"),
    "not judged": (runs.run(None), "no badge: nothing graded", "lightgrey"),
    "server failed": (runs.broken(), "no badge: server failed", "lightgrey"),
    "not eligible": (replace(ELIGIBLE, status="interrupted"), "no badge: not eligible", "lightgrey"),
}


@pytest.mark.parametrize(("record", "says", "colour"), BADGES.values(), ids=BADGES)
def test_badge_messages(record, says, colour):
    document = json.loads(render("shields", [record]))
    assert (document["message"], document["color"]) == (says, colour)
    svg = render("badge", [record])
    assert f">{says}</text>" in svg


@single
def test_shields_fits_the_endpoint_and_the_svg_is_well_formed(record):
    Draft202012Validator(ENDPOINT).validate(json.loads(render("shields", [record])))
    root = ElementTree.fromstring(render("badge", [record]))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_a_badge_names_the_methodology_and_never_shows_what_a_file_says():
    assert json.loads(render("shields", [ELIGIBLE]))["label"] == "sealmark 0.3-draft"
    for text in (runs.NASTY, "core A · fs A · certified"):
        record = runs.judged(runs.escapes(), badge=Badge(True, text), methodology=text)
        document = json.loads(render("shields", [record]))
        assert document["label"] == "sealmark unknown"
        assert document["message"] == "core B · fs F · self-reported"
    grades = tuple(replace(g, pack="<script>", letter="A") for g in runs.escapes().judgement.grades)
    assert message(runs.judged(runs.escapes(), grades=grades)) == "no badge: not eligible"


def test_hostile_and_plain_servers_have_the_same_badge():
    for name in ("badge", "shields"):
        assert render(name, [runs.hostile()]) == render(name, [runs.hostile("plain")])


def test_badge_text_has_contrast():
    def light(colour):
        parts = [
            int(part * 2 if len(colour) == 4 else part, 16) / 255
            for part in re.findall("[0-9a-f]" if len(colour) == 4 else "[0-9a-f]{2}", colour)
        ]
        red, green, blue = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    from sealmark.report.badge import PAINT

    for back, ink in [*PAINT.values(), ("#444", "#fff")]:
        low, high = sorted((light(back), light(ink)))
        assert (high + 0.05) / (low + 0.05) >= 4.5, (back, ink)


# -- summary -------------------------------------------------------------------------------------------------------


def test_summary_says_what_to_fix_and_what_caps():
    capped = runs.simple({"fs-read-escape": "fail", "fs-write-escape": "pass", "fs-size-cap": "pass"})
    out = render("summary", [capped])
    assert "0 OF 1 PACK AT A OR BETTER" in out
    assert "  - fs-read-escape (caps fs): Resolve the path" in out
    part = runs.simple({"fs-read-escape": "part", "fs-write-escape": "pass"})
    assert "  - fs-read-escape (critical part): " in render("summary", [part])


def test_summary_banner_never_contradicts_the_gate():
    starred = runs.simple({"protocol": "pass", "tool-poisoning": "inconclusive"})
    assert "1 OF 1 PACK AT A OR BETTER, BUT PROVISIONAL: core" in render("summary", [starred])
    assert "BUT PROVISIONAL" not in render("summary", [starred], Options(fail_under="B"))
    assert "THE GATE IS OFF" in render("summary", [starred], Options(fail_under="none"))
    assert "DID NOT RUN" in render("summary", [runs.broken()])
    assert "NOTHING GRADED" in render("summary", [runs.simple({"fs-size-cap": "na"})])


def test_summary_keeps_inconclusive_and_not_applicable_packs_apart_and_passes_short():
    out = render("summary", [runs.undecided()])
    assert re.search(r"scope +inconclusive: no scored check", out)
    assert re.search(r"db +not applicable: the configuration", render("summary", [runs.escapes()]))
    passed = next(line for line in out.splitlines() if "protocol" in line)
    assert passed.endswith("scored")


def test_summary_bounds_what_is_not_covered_and_explains_the_exit_code():
    record = runs.judged(runs.clean(), coverage=Coverage(2, 2, not_covered=tuple(f"thing {n}" for n in range(20))))
    out = render("summary", [record], Options(outcome=(1, ("pack fs graded D, which does not meet --fail-under A",))))
    assert out.count("  - thing") == 8
    assert "  and 12 more" in out
    assert "exit 1: below the gate, regressed, or drifted\n  pack fs graded D" in out


def test_summary_ignores_verbosity():
    assert render("summary", [runs.escapes()], Options(verbosity="quiet")) == render("summary", [runs.escapes()])


# -- markdown ------------------------------------------------------------------------------------------------------


def test_markdown_is_the_same_but_for_its_timings():
    record = runs.escapes()
    later = runs.but(record, observations=tuple(replace(o, elapsed_ms=77) for o in record.gathered.observations))
    one, two = render("markdown", [record]), render("markdown", [later])
    assert one != two
    without = [re.sub(r"(?s)## Timings.*?(?=## Run it again)", "", text) for text in (one, two)]
    assert without[0] == without[1]
    assert "| `read_file` | 6 | 77 | 77 |" in two
    for verbosity in ("quiet",):
        assert "Timings" not in render("markdown", [record], Options(verbosity=verbosity))


def test_markdown_shows_differences_and_matrix():
    out = render("markdown", [runs.undecided()])
    assert "| `timeouts.probe_sec` | `10` | `2` | `flag --timeout-probe` |" in out
    several = render("markdown", [runs.clean(), runs.broken()])
    assert several.startswith("# Matrix\n")
    assert "did not run" in several


# -- github --------------------------------------------------------------------------------------------------------


def test_annotations_are_worst_first_and_point_at_the_server():
    found = annotate([runs.escapes()], Options(locations={"files": Location("a,b:c.yaml", 4)}))
    assert [text.split(" ")[0] for text in found] == ["::error", "::error", "::warning"]
    assert found[0].startswith("::error file=a%2Cb%3Ac.yaml,line=4,title=files%3A fs-read-escape (critical)::A reply")
    assert annotate([runs.clean()], Options()) == ()
    assert annotate([runs.broken()], Options())[0].startswith("::error ")
    accepted = annotate([runs.escapes()], Options(accepted={("files", "fs-read-escape"): "known"}))
    assert accepted[0].startswith("::notice ")
    assert "Accepted: known." in accepted[0]


def test_a_job_summary_that_would_be_too_large_becomes_smaller():
    assert job_summary([runs.escapes()], Options()) == render("markdown", [runs.escapes()])
    record = runs.escapes()
    long = tuple(replace(v, summary="word " * 300) for v in record.judgement.verdicts)
    many = [runs.judged(runs.but(record, server=replace(runs.SERVER, name=f"s{n}")), verdicts=long) for n in range(150)]
    text = job_summary(many, Options())
    assert len(text.encode()) <= 1_000_000
    assert "s149" in text


def test_a_view_is_plain_data():
    import msgspec

    view = build(runs.escapes())
    assert msgspec.convert(msgspec.to_builtins(view), type(view)) == view
