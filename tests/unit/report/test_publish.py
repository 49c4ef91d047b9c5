"""A static site of several studies: whole, linked by relative addresses, and careful with files."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree as ET

import drawn
import large_sample
import pytest
import sample
import stored_runs
import walk_samples
from httpdyno.cli.report.publish import publish
from httpdyno.errors import UsageError
from httpdyno.report import write_report
from httpdyno.report.result_json import read
from httpdyno.report.site import SiteOptions, write_site
from httpdyno.report.site.preview import drawing
from httpdyno.result import StudyResult
from httpdyno.running.stored_result import stored_result

TINY = sample.tiny()


def later(result: StudyResult, **update: object) -> StudyResult:
    """The same study measured a day later."""
    return result.model_copy(update={"started_at": result.started_at + 86_400, **update})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two runs of one study, and of another study."""
    place = tmp_path_factory.mktemp("results")
    runs = [TINY, later(TINY), sample.replay(1)]
    folders = [write_report(run, place / str(n)).json.parent for n, run in enumerate(runs)]
    publish(place / "site", [str(folder) for folder in folders], base_url="https://a.example/b")
    return place / "site"


def links(page: Path) -> list[str]:
    return re.findall(r'(?:href|src)="([^"]+)"', page.read_text(encoding="utf-8"))


def test_each_study_and_each_arm_has_a_page_and_each_study_its_data(site: Path) -> None:
    found = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    for name in ("demo-2026-09-21", "demo-2026-09-22", "tornado-vs-starlette"):
        for file in ("index.html", "result.json", "trials.csv", "report.md", "preview.png"):
            assert f"studies/{name}/{file}" in found
    assert {"index.html", "sitemap.xml", "arms/tornado-1-process.html"} <= found


def test_every_link_is_relative_and_leads_to_a_file_and_an_element(site: Path) -> None:
    for page in site.rglob("*.html"):
        for link in links(page):
            if link.startswith(("data:", "https://a.example/b/")):
                continue
            parts = urlsplit(link)
            assert (parts.scheme, parts.netloc) == ("", ""), link
            assert not parts.path.startswith("/")
            target = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
            assert target.is_file(), f"{page}: {link}"
            if parts.fragment:
                assert f'id="{parts.fragment}"' in target.read_text(encoding="utf-8")


def test_the_page_of_an_arm_has_its_numbers_in_every_study(site: Path) -> None:
    text = (site / "arms" / "tornado-1-process.html").read_text(encoding="utf-8")
    assert text.count("<section") == 3
    assert "A first look" in text
    assert "Tornado vs Starlette in 2019" in text


def test_the_page_of_an_arm_has_all_that_is_known_of_it_and_leads_to_its_report(site: Path) -> None:
    text = (site / "arms" / "tornado-1-process.html").read_text(encoding="utf-8")
    of_post = text[text.index(">Tornado vs Starlette in 2019<") :]
    assert "Published, and not comparable: <b>" in of_post
    assert '<ul class="doubts">' in of_post
    trials = re.findall(r"<summary>(\d+) trials</summary>", text)
    assert len(trials) == 3
    study = "../studies/tornado-vs-starlette"
    assert re.search(rf'"{study}/index.html#arm-[\w-]+">This arm in the report', of_post)
    assert f'"{study}/trials.csv"' in of_post
    headings = re.findall(r"<h2 [^>]*><a [^>]*>(.*?)</a>", text)
    assert len(set(headings)) == 3, "two runs of one study"
    charts = re.findall(r'<figure id="(figure-[\w-]+)"', text)
    assert any("rates" in name for name in charts), "the curves of this arm"
    assert len(set(charts)) == len(charts), "those of all studies on one page"


def test_the_page_of_an_arm_has_its_capacity(tmp_path: Path) -> None:
    walked = walk_samples.climbs([1000.0, 1010.0, 1020.0, 1030.0, 1040.0])
    result = walk_samples.result(walk_samples.study(), walked)
    publish(tmp_path / "site", [str(write_report(result, tmp_path / "1").json)])
    pages = [page.read_text(encoding="utf-8") for page in (tmp_path / "site" / "arms").iterdir()]
    [text] = [page for page in pages if 'data-label="capacity" data-value="1020"' in page]
    for column in ("held", "knee", "goodput at 2×", "recovery"):
        assert f'<td data-label="{column}"' in text
    assert text.count('data-label="p50" data-value') == 0, "the steps of a search are no load"
    assert re.search(r'<figure id="figure-[\w-]+-curves"', text)


def test_names_and_notes_are_text_on_the_page_of_an_arm(tmp_path: Path) -> None:
    raw = json.loads(sample.replay(1).model_dump_json())
    hostile = "<b onclick=x>"
    for row in raw["published"]:
        row["note"] = hostile
    for cell in raw["cells"]:
        for reason in cell["reasons"]:
            reason["text"] = hostile
    result = StudyResult.model_validate({**raw, "title": hostile})
    publish(tmp_path / "site", [str(write_report(result, tmp_path / "1").json)])
    for page in (tmp_path / "site" / "arms").iterdir():
        text = page.read_text(encoding="utf-8")
        assert "<b onclick" not in text
        assert "&lt;b onclick=x&gt;" in text


def test_the_index_can_be_filtered_by_what_its_rows_say(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'data-date="2026-09-21"' in text
    assert 'data-machine="AMD EPYC 7B13, 2 of 4 cores"' in text
    assert '<select data-filter="language">' in text
    assert '<select data-filter="workload">' not in text, "there is only one"
    assert 'data-language="Python"' in text, "from the catalogue of servers"
    assert text.index("demo-2026-09-22") < text.index("demo-2026-09-21"), "newest first"


def test_a_server_in_several_languages_is_found_under_each(tmp_path: Path) -> None:
    first, *others = TINY.arms
    arms = [first.model_copy(update={"language": "C, Perl"}), *others]
    report = write_report(TINY.model_copy(update={"arms": arms}), tmp_path / "demo")
    publish(tmp_path / "site", [str(report.json.parent)])
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    study = (tmp_path / "site" / "studies" / "demo" / "index.html").read_text(encoding="utf-8")
    for text in (index, study):
        assert '<option value="C">C</option><option value="Perl">Perl</option>' in text
        assert 'data-language="C\nPerl"' in text
    assert re.search(r'<tr data-row data-language="C\nPerl\n.*', index), "of the study"


def test_the_data_of_a_study_give_it_back(site: Path) -> None:
    again = read(site / "studies" / "demo-2026-09-22" / "result.json")
    assert again.cells == TINY.cells


def test_previews_and_the_sitemap_have_the_address_of_the_site(site: Path) -> None:
    page = (site / "studies" / "tornado-vs-starlette" / "index.html").read_text(encoding="utf-8")
    base = "https://a.example/b/"
    assert f'property="og:image" content="{base}studies/tornado-vs-starlette/preview.png"' in page
    root = ET.fromstring((site / "sitemap.xml").read_text(encoding="utf-8"))
    pages = {str(entry.text) for entry in root.iter() if entry.tag.endswith("loc")}
    assert {base, f"{base}studies/tornado-vs-starlette/"} <= pages
    for page_url in pages:
        file = site / page_url.removeprefix(base)
        assert (file / "index.html").is_file() or file.is_file()
    png = (site / "studies" / "tornado-vs-starlette" / "preview.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert png[16:24] == (1200).to_bytes(4, "big") + (630).to_bytes(4, "big")


def test_without_an_address_nothing_is_absolute(tmp_path: Path) -> None:
    folder = write_report(TINY, tmp_path / "run").json.parent
    publish(tmp_path / "site", [str(folder)])
    assert not (tmp_path / "site" / "sitemap.xml").exists()
    for page in (tmp_path / "site").rglob("*.html"):
        assert "og:image" not in page.read_text(encoding="utf-8")
        assert not [link for link in links(page) if "://" in link and not link.startswith("data:")]


def test_publishing_again_replaces_the_site_and_deletes_what_is_gone(tmp_path: Path) -> None:
    one = write_report(TINY, tmp_path / "1").json
    other = write_report(sample.replay(1), tmp_path / "2").json
    site = tmp_path / "site"
    publish(site, [str(one), str(other)])
    (site / "CNAME").write_text("bench.example.org")
    publish(site, [str(one)])
    assert (site / "studies" / "demo" / "index.html").is_file()
    assert not (site / "studies" / "tornado-vs-starlette").exists()
    assert (site / "CNAME").read_text() == "bench.example.org"


def test_an_interrupted_site_can_be_written_again_and_leaves_no_file_behind(tmp_path: Path) -> None:
    other = TINY.model_copy(update={"name": "other"})
    writing = write_site([other], tmp_path / "site", SiteOptions())
    begun = [next(writing) for _ in range(4)]
    with pytest.raises(KeyboardInterrupt):
        writing.throw(KeyboardInterrupt())
    assert all(file.is_file() for file in begun)
    files = set(write_site([TINY], tmp_path / "site", SiteOptions()))
    left = {file for file in (tmp_path / "site").rglob("*") if file.is_file()} - files
    assert [file.name for file in left] == ["httpdyno-site.json"]


def test_a_site_that_was_killed_at_its_first_file_can_be_written_again(tmp_path: Path) -> None:
    killed = write_site([TINY], tmp_path / "site", SiteOptions())
    next(killed)
    assert list(write_site([TINY], tmp_path / "site", SiteOptions()))


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    source = write_report(TINY, tmp_path / "run").json
    with pytest.raises(UsageError, match="no site of httpdyno"):
        publish(tmp_path, [str(source)])
    assert not (tmp_path / "index.html").exists()


@pytest.mark.parametrize("name", ["../outside", "absolute", "a/../../outside"])
def test_a_list_of_files_cannot_name_one_outside_its_folder(name: str, tmp_path: Path) -> None:
    source = write_report(TINY, tmp_path / "run").json
    site = tmp_path / "site"
    publish(site, [str(source)])
    (tmp_path / "outside").write_text("mine")
    given = str(tmp_path / "outside") if name == "absolute" else name
    listed = {"format": "httpdyno-site", "version": 1, "files": [given]}
    (site / "httpdyno-site.json").write_text(json.dumps(listed))
    publish(site, [str(source)])
    assert (tmp_path / "outside").read_text() == "mine"


@pytest.mark.parametrize("url", ["example.org", "ftp://a/b", "https://", "https://a/?x=1"])
def test_an_address_that_is_none_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--base-url"):
        publish(tmp_path / "site", [], base_url=url)
    assert not (tmp_path / "site").exists()


def test_a_run_of_which_nothing_was_measured_is_left_out_and_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = write_report(TINY, tmp_path / "1").json
    none = write_report(sample.unmeasured(), tmp_path / "none").json
    publish(tmp_path / "site", [str(one), str(none)])
    assert [path.name for path in (tmp_path / "site" / "studies").iterdir()] == ["demo"]
    told = capsys.readouterr().err
    assert f"left out: {none}: nothing was measured\n" in told
    assert "1 study, " in told
    with pytest.raises(UsageError, match="nothing to publish"):
        publish(tmp_path / "other", [str(none)])
    assert not (tmp_path / "other").exists()


def test_an_unfinished_study_is_marked_wherever_the_site_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = TINY.model_copy(update={"complete": False, "blocks_done": 3, "blocks_planned": 10})
    publish(site := tmp_path / "site", [str(write_report(some, tmp_path / "1").json)])
    assert "not finished: demo: 3 of 10 blocks were measured" in capsys.readouterr().err
    for page in (site / "index.html", next((site / "arms").iterdir())):
        text = page.read_text(encoding="utf-8")
        assert ">not finished</span>" in text
        assert "3 of 10 blocks were measured" in text
    assert "Not finished: 3 of 10" in (site / "studies/demo/index.html").read_text(encoding="utf-8")


def test_of_a_stored_study_the_newest_run_with_a_trial_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path))
    store, rates = stored_runs.store_in(tmp_path), {"alpha": 4000.0, "beta": 2000.0}
    nightly = stored_runs.study(tmp_path)
    stored_runs.store_run(store, nightly, 0, rates=rates)
    stored_runs.store_run(store, nightly, 1, rates=rates, blocks=0)
    cancelled = stored_runs.study(tmp_path, name="cancelled")
    stored_runs.store_run(store, cancelled, 2, rates=rates, blocks=0)
    publish(site := tmp_path / "site")
    assert [path.name for path in (site / "studies").iterdir()] == ["nightly"]
    told = capsys.readouterr().err
    assert "left out: run 3, cancelled: nothing was measured" in told
    assert "left out: run 2, nightly: nothing was measured" in told
    assert "not finished" not in told


def test_apps_of_one_name_in_two_folders_have_a_page_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPDYNO_DATA", str(tmp_path))
    store = stored_runs.store_in(tmp_path)
    text = stored_runs.TEXT.replace(
        'server = "alpha"\ndeployments = ["1-process"]', 'name = "mine"\nstart = "./app {port}"'
    )
    files = []
    for night, folder in enumerate(("node", "python", "python")):
        (tmp_path / folder).mkdir(exist_ok=True)
        mine = stored_runs.study(tmp_path / folder, text, name=f"study-{night}")
        rates = {"mine": 4000.0, "beta": 2000.0}
        run = store.run(stored_runs.store_run(store, mine, night, rates=rates))
        assert run is not None
        result = stored_result(store, run)
        files.append(str(write_report(result, tmp_path / f"report-{night}").json))
    publish(site := tmp_path / "site", files)
    pages = {path.name: path.read_text(encoding="utf-8") for path in (site / "arms").iterdir()}
    assert sorted(pages) == ["beta-1-process.html", "mine-study-0.html", "mine-study-2.html"]
    assert "<h1>mine (study-0)</h1>" in pages["mine-study-0.html"]
    assert "studies/study-1/" in pages["mine-study-2.html"]
    assert "studies/study-1/" not in pages["mine-study-0.html"]


HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=1>../../x"


def test_hostile_names_stay_text_and_inside_the_site(tmp_path: Path) -> None:
    raw = json.loads(TINY.model_dump_json())
    raw |= {"name": HOSTILE, "title": HOSTILE, "question": HOSTILE, "source": HOSTILE}
    old = raw["arms"][0]["name"]
    raw["arms"][0] |= {"name": HOSTILE, "server": HOSTILE, "version": HOSTILE, "workload": HOSTILE}
    for cell in raw["cells"]:
        cell["arm"] = HOSTILE if cell["arm"] == old else cell["arm"]
    source = write_report(StudyResult.model_validate(raw), tmp_path / "run").json
    site = tmp_path / "site"
    publish(site, [str(source)])
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "<img" not in text
        assert text.count("<script") == 1
    assert {path.name for path in tmp_path.iterdir()} == {"run", "site"}
    ET.fromstring(drawing(HOSTILE, HOSTILE))


def test_a_site_of_many_arms_links_each_of_them(tmp_path: Path) -> None:
    source = write_report(large_sample.snap(), tmp_path / "run").json
    publish(tmp_path / "site", [str(source)])
    text = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert text.count('href="arms/') == len(large_sample.FRAMEWORKS)


@pytest.mark.parametrize("words", [5, 60])
def test_a_preview_of_a_suspect_answer_says_so_however_long_it_is(words: int) -> None:
    lead = f"{'Starlette ' * words}served 3.01×. This result is suspect: it was late."
    told = " ".join(drawn.texts(drawing("Two servers", lead)))
    assert told.count("This result is suspect") == 1


def test_the_lines_of_a_preview_do_not_touch_however_many_there_are() -> None:
    svg = drawing("Tornado vs Starlette " * 4, "Starlette served 3.01× as many. " * 20)
    at = [float(one.get("y", "0")) for one in drawn.tree(svg).iter(f"{drawn.SVG}text")]
    assert min(b - a for a, b in itertools.pairwise(at)) >= 48
