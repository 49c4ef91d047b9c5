"""The page as a file: whole by itself, safe to open, and nothing of the result left out."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise

import jinja2
import large_sample
import many_arms
import pytest
import sample
from httpdyno.report.charts.catalogue import figures
from httpdyno.report.contents.page import page as contents
from httpdyno.report.page import Place, environment, prose, render, sections, whole_page
from httpdyno.result import CellRow, Estimate, StudyResult


class Page(HTMLParser):
    """A page taken apart: its tags, its text by section, its scripts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self._inside = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            self.scripts.append(data)
        elif self._inside != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.texts))


def page(result: StudyResult) -> str:
    return render(result, figures(result), place=Place(chart_files=("svg", "png")))


REPLAY = sample.replay()
HTML = page(REPLAY)
PAGE = Page(HTML)


def test_it_refers_to_nothing_outside_its_own_folder() -> None:
    links = [
        value
        for _, attributes in PAGE.tags
        for name, value in attributes.items()
        if name in {"href", "src", "xlink:href", "action", "data", "poster", "srcset"} and value
    ]
    assert links
    own = r"(#|result\.json$|charts/[a-z0-9-]+\.(png|svg)$|data:image/svg)"
    assert all(re.match(own, link) for link in links)
    assert [a["rel"] for tag, a in PAGE.tags if tag == "link"] == ["icon"]
    assert not [tag for tag, _ in PAGE.tags if tag in {"iframe", "object", "embed", "base"}]
    style = "".join(re.findall(r"<style>(.*?)</style>", HTML, re.DOTALL))
    assert "url(" not in style
    assert "@import" not in style


def test_its_policy_allows_no_loading_and_only_its_own_style_and_script() -> None:
    policy = next(
        str(a["content"])
        for tag, a in PAGE.tags
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for name in ("script", "style"):
        (text,) = re.findall(rf"<{name}>(.*?)</{name}>", HTML, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy


def test_no_element_has_a_style_or_a_handler_of_its_own() -> None:
    found = {name for _, attributes in PAGE.tags for name in attributes}
    assert "style" not in found
    assert not [name for name in found if name.startswith("on")]


def test_the_answer_comes_before_everything_else() -> None:
    places = [HTML.index(f'id="{name}"') for name in ("replay", "ratio", "throughput", "numbers")]
    assert HTML.index(REPLAY.answer) < min(places)
    assert places == sorted(places)


def test_every_cell_is_a_row_of_the_table_of_numbers() -> None:
    numbers = HTML[HTML.index('id="numbers"') : HTML.index('id="arms"')]
    assert numbers.count('<tr class="') == len(REPLAY.cells)
    for cell in REPLAY.cells:
        assert f">{cell.arm}</a><small>{cell.point}</small>" in numbers


def test_a_cell_without_a_result_says_so_and_why_and_gives_no_number() -> None:
    numbers = HTML[HTML.index('id="numbers"') : HTML.index('id="arms"')]
    invalid = re.findall(r'<tr class="invalid"[^>]*>(.*?)</tr>', numbers, re.DOTALL)
    assert len(invalid) == 2
    for row in invalid:
        assert "no result" in row
        assert re.search(r"41\s% of the replies were wrong", row)
        assert not re.search(r"\d\s(ms|µs|MiB)\b|>0\b", row)


def test_the_numbers_of_an_invalid_cell_are_shown_nowhere_even_if_it_carries_them() -> None:
    cells = [
        cell.model_copy(update={"status": "invalid", "throughput_per_s": strange(cell)})
        if (cell.arm, cell.load) == (REPLAY.arms[0].name, "as-published")
        else cell
        for cell in REPLAY.cells
    ]
    result = REPLAY.model_copy(update={"cells": cells})
    html = page(result)
    assert "77,700" not in html
    assert "77700" not in html


def strange(cell: CellRow) -> Estimate:
    """A throughput that stands nowhere else."""
    assert cell.throughput_per_s is not None
    return cell.throughput_per_s.model_copy(update={"value": 77_700.0, "high": 77_701.0})


def test_every_verdict_has_its_reason_and_what_to_do() -> None:
    for cell in REPLAY.cells:
        for reason in cell.reasons:
            assert reason.text in PAGE.text
            assert reason.hint in PAGE.text


def test_a_published_number_stands_apart_and_is_called_not_comparable() -> None:
    assert "not comparable" in PAGE.text
    history = re.findall(r'<td class="history".*?</td>', HTML, re.DOTALL)
    told = [number for field in history for number in re.findall(r"<div>([0-9,]+/s)", field)]
    assert told == ["1,900/s", "4,700/s", "4,200/s", "7,500/s"]
    assert "not in the post" in history[-1], "nginx, which the post did not measure"
    others = [one for one in figures(REPLAY) if one.section != "replay"]
    shown = json.dumps([(one.title, one.subtitle, one.svg, one.table.rows) for one in others])
    told_of = re.sub("as.published", "", shown, flags=re.IGNORECASE)
    assert "published" not in told_of.lower()
    for number in told:
        assert number not in shown.replace("1,900/s to", "")


def test_what_cannot_be_told_says_the_smallest_difference_that_could_have_been() -> None:
    assert (
        "no difference shown; one of 2.10 % or more would probably have been detected" in PAGE.text
    )


def test_estimates_carry_their_interval_or_say_why_not() -> None:
    assert "2,340 to 2,390/s" in PAGE.text
    tiny = Page(page(sample.tiny())).text
    assert "3 trials: too few for an interval" in tiny
    assert "Not finished: 3 of 10 blocks were measured" in tiny


def test_the_report_of_a_run_that_goes_on_does_not_say_that_it_can_be_resumed() -> None:
    html = whole_page(sample.tiny(), Place(under_way=True))
    assert "Not finished: 3 of 10 blocks were measured. The run is under way." in html
    assert "Resume it with" not in html


def test_all_that_a_reader_needs_to_repeat_it_is_there() -> None:
    facts = [fact.value for fact in REPLAY.machine]
    versions = [arm.version for arm in REPLAY.arms]
    for text in (REPLAY.command, str(REPLAY.seed), *facts, *versions, *REPLAY.notes):
        assert text in PAGE.text
    assert str(REPLAY.machine[3].doubt) in PAGE.text
    assert "logs/nginx-install.log" in PAGE.text
    assert "of 61,200/s" in PAGE.text, "the generator's ceiling"


def test_a_ceiling_of_a_busy_machine_is_a_lower_bound() -> None:
    cells = [one.model_copy(update={"ceiling_is_bound": True}) for one in REPLAY.cells]
    shown = page(REPLAY.model_copy(update={"cells": cells}))
    assert "of at least 61,200/s (the machine was busy)" in Page(shown).text


def test_a_study_where_all_failed_is_a_page_that_says_so() -> None:
    result = sample.empty()
    shown = Page(page(result))
    assert "No result: no server could be started." in shown.text
    failures = page(result).split('id="failures"')[1]
    assert failures.count("port 8080 is taken") == len(result.failures)


def test_a_run_without_a_trial_is_a_page_that_says_only_that() -> None:
    html = page(sample.unmeasured())
    assert re.findall(r'<li><a href="#([a-z-]+)">', html) == ["answer", "limits"]
    assert "No result: nothing was measured." in html
    assert "Not finished: nothing was measured. Resume it with" in html
    assert "<table" not in html
    assert 'id="filters"' not in html


def explanation(result: StudyResult, section: str) -> str:
    """The explanation of a section of charts."""
    shown = contents(result, figures(result)).questions
    return {one.section: one.explanation for one in shown}[section]


def test_what_is_said_of_charts_is_so_of_those_that_are_drawn() -> None:
    curves, many = large_sample.curves(), large_sample.snap()
    assert "dotted line" in explanation(curves, "rates")
    assert "does not start at zero" in explanation(many, "throughput")
    assert "does not start at zero" not in explanation(REPLAY, "throughput")
    assert "dotted line" not in explanation(many, "throughput")
    assert "hill" in explanation(many_arms.arms(9), "spectrum")
    assert "hill" not in explanation(many, "spectrum")
    for result, told in ((many, True), (REPLAY, False)):
        subtitles = [one.subtitle for one in figures(result) if one.section == "cpu"]
        assert {"Sorted by value." in text for text in subtitles} == {told}


def test_an_arm_above_all_that_was_offered_is_explained() -> None:
    whole = large_sample.curves()

    def answering(share: float, cell: CellRow) -> CellRow:
        if cell.throughput_per_s is None or cell.rate_per_s is None:
            return cell
        value = share * cell.rate_per_s * large_sample.CALLS
        changed = cell.throughput_per_s.model_copy(update={"value": value})
        return cell.model_copy(update={"throughput_per_s": changed})

    for share, explained in ((1.0, False), (1.1, True)):
        cells = [answering(share, cell) for cell in whole.cells]
        text = explanation(whole.model_copy(update={"cells": cells}), "rates")
        assert ("also answered requests left over from the warm-up" in text) is explained


def test_more_arms_than_colours_are_not_promised_a_colour_each() -> None:
    assert "An arm has the same colour throughout the report." in PAGE.text
    many = Page(render(large_sample.snap(), [])).text
    assert "The 13 arms share 8 colours" in many
    assert "same colour throughout" not in many


def test_a_name_that_a_template_misspells_is_an_error() -> None:
    template = environment().from_string("{{ page.bannners }}")
    with pytest.raises(jinja2.UndefinedError, match="bannners"):
        template.render(page=contents(REPLAY, []))


def test_an_unfinished_study_says_how_to_resume_it() -> None:
    text = Page(render(sample.tiny(), [])).text
    assert f"Resume it with {sample.tiny().command} --resume" in text


@pytest.mark.parametrize("hostile", ["</script><b>x", '"><img src=x onerror=1>', "{{ 7*7 }}<i>"])
def test_a_hostile_text_is_shown_as_text_everywhere(hostile: str) -> None:
    raw = json.loads(sample.tiny().model_dump_json())
    for field in ("title", "question", "answer", "command", "name", "httpdyno_version", "source"):
        raw[field] = hostile
    raw["notes"] = [hostile]
    old = raw["arms"][0]["name"]
    raw["arms"][0] |= {"name": hostile, "version": hostile, "description": hostile}
    raw["loads"][0] |= {"title": hostile, "description": hostile}
    raw["failures"] = [{"arm": hostile, "stage": "start", "reason": hostile, "log": hostile}]
    for cell in raw["cells"]:
        cell["arm"] = hostile if cell["arm"] == old else cell["arm"]
        cell["status"] = "suspect"
        cell["reasons"] = [
            {"code": "x", "status": "suspect", "text": hostile, "hint": hostile},
        ]
        cell["doubts"] = sample.doubted("x")
    html = page(StudyResult.model_validate(raw))
    shown = Page(html)
    assert not [tag for tag, _ in shown.tags if tag in {"b", "i", "img"} and hostile in html]
    assert hostile not in html
    assert shown.text.count(re.sub(r"\s+", " ", hostile)) > 10


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("78 % more (95 % CI 1.2 to 3 ms)", "78~% more (95~% CI 1.2 to 3~ms)"),
        ("10 s of 2 starts, 47.7 MiB, 5 minutes", "10~s of 2 starts, 47.7~MiB, 5 minutes"),
        ("run `sleep 5 s`", "run <code>sleep 5 s</code>"),
    ],
)
def test_no_line_ends_between_a_number_and_its_unit(text: str, shown: str) -> None:
    assert prose(text) == shown.replace("~", "\N{NO-BREAK SPACE}")


def test_what_stands_in_backticks_is_code_and_nothing_else_is_markup() -> None:
    shown = prose("`httpdyno run <demo>` is <b>it</b>; a lone ` stays")
    assert shown == (
        "<code>httpdyno run &lt;demo&gt;</code> is &lt;b&gt;it&lt;/b&gt;; a lone ` stays"
    )


def shown(*restarted: bool) -> str:
    """The text of a report of arms that are started anew for each trial, or that ran already."""
    some = sample.tiny()
    arms = [
        one.model_copy(update={"name": f"arm {number}", "restarted": anew})
        for one in some.arms[:1]
        for number, anew in enumerate(restarted)
    ]
    return Page(page(some.model_copy(update={"arms": arms}))).text


def test_no_server_that_ran_already_is_called_freshly_started() -> None:
    fresh, every = "Each is on a freshly started server.", "Every trial starts its server anew"
    assert f"{every}. A block" in shown(True, True)
    assert fresh in shown(True, True)
    mixed = shown(True, False)
    assert f"{every}, except for servers that ran already: arm 1. A block" in mixed
    assert fresh not in mixed
    for running in (shown(False), shown(False, False)):
        assert "ran already; no trial restarts a server. A block" in running
        assert fresh not in running
        assert every not in running


def test_one_arm_has_no_section_that_compares_arms() -> None:
    assert "How the arms compare" in shown(True, True)
    assert "How the arms compare" not in shown(True)


def test_a_question_that_only_repeats_the_title_is_left_out() -> None:
    some = sample.tiny().model_copy(update={"title": "My server", "question": "My server"})
    assert "<h1>My server</h1>" in page(some)
    assert 'class="question"' not in page(some)
    asked = some.model_copy(update={"question": "Is it fast?"})
    assert "Is it fast?" in page(asked)


def test_each_part_of_the_page_can_be_had_alone() -> None:
    found = sections(REPLAY, figures(REPLAY))
    assert [one.id for one in found][:3] == ["answer", "limits", "replay"]
    for one in found:
        assert f'id="{one.id}"' in one.html
        assert "<html" not in one.html
    assert len({one.id for one in found}) == len(found)


def test_every_link_within_the_page_leads_somewhere_and_every_id_is_there_once() -> None:
    for html in (HTML, page(large_sample.snap()), page(sample.tiny())):
        shown = Page(html)
        ids = [str(a["id"]) for _, a in shown.tags if "id" in a]
        assert len(ids) == len(set(ids))
        links = {
            str(a["href"])[1:] for _, a in shown.tags if str(a.get("href", "")).startswith("#")
        }
        assert links <= {*ids}


def test_headings_go_down_one_step_at_a_time() -> None:
    for html in (HTML, page(large_sample.snap())):
        levels = [int(tag[1]) for tag, _ in Page(html).tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(b - a <= 1 for a, b in pairwise(levels))


def test_every_table_has_a_caption_and_heads_with_a_scope() -> None:
    tables = re.findall(r"<table.*?</table>", HTML, re.DOTALL)
    assert tables
    for table in tables:
        assert "<caption" in table
        assert "<th>" not in table
