// Makes a page answer its reader: tooltips, filters, sorting, another baseline. Whole without this script.
// The choices are in the address, so that a link keeps them: #load=keep-alive&hide=2,5
"use strict";
(() => {
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const one = (selector, from = document) => from.querySelector(selector);
  const form = one("#filters");
  const found = form && one(".found", form);
  const filters = all("[data-filter]");
  const dates = all("[data-from]");
  const find = one("[data-find]");
  const picks = all("[data-pick]");
  const compare = one("[data-compare]");
  const rows = all("tr[data-arm], tr[data-row]");
  const others = all("[data-arm]:not(tr), details[data-load], figure[data-load], li[data-load]");
  const charts = all("svg:has([data-step])");
  const folds = all("details.more");
  const texts = new Map();
  const scales = new Set();

  // ---- What is shown

  const has = (element, key, wanted) => !(key in element.dataset) || element.dataset[key].split("\n").includes(wanted);
  const textOf = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase().replaceAll("\u00a0", " "));
    return texts.get(row);
  };

  function apply() {
    const wanted = filters.filter((each) => each.value).map((each) => [each.dataset.filter, each.value]);
    const since = dates.filter((each) => each.value).map((each) => [each.dataset.from, each.value]);
    const words = find ? find.value.trim().toLowerCase() : "";
    const gone = new Set();
    for (const pick of picks) {
      if (!pick.checked || !wanted.every(([key, value]) => has(pick, key, value))) gone.add(pick.dataset.pick);
    }
    const shown = (element) =>
      !gone.has(element.dataset.arm) &&
      wanted.every(([key, value]) => has(element, key, value)) &&
      since.every(([key, value]) => !(key in element.dataset) || element.dataset[key] >= value);
    let count = 0;
    for (const row of rows) {
      row.hidden = !shown(row) || (words !== "" && !textOf(row).includes(words));
      if (!row.hidden) count += 1;
    }
    for (const element of others) {
      if (element instanceof SVGElement) element.classList.toggle("gone", !shown(element));
      else element.hidden = !shown(element);
    }
    closeGaps();
    if (wanted.some(([key]) => key === "load")) {
      for (const fold of folds) if (one("figure[data-load]:not([hidden])", fold)) fold.open = true;
    }
    if (!found) return;
    const narrowed = wanted.length + since.length + gone.size > 0 || words !== "";
    found.textContent = narrowed ? `${count} of ${rows.length} rows shown.` : "";
    if (narrowed && count === 0) found.textContent = "No row matches. “Show all” removes the filters.";
  }

  // Rows of a chart move up into the places of hidden ones; brackets end at the rows that remain.
  const drawn = new Map();

  function closeGaps() {
    for (const svg of charts) {
      const [width, high] = drawn.get(svg) || [svg.viewBox.baseVal.width, svg.viewBox.baseVal.height];
      drawn.set(svg, [width, high]);
      let above = 0; // height that the plots above this one have lost
      let lost = 0;
      let last = 0;
      for (const plot of all("[data-step]", svg)) {
        const placed = plot.parentElement.transform.baseVal.consolidate();
        const top = placed ? placed.matrix.f : 0;
        if (top > last) above = lost;
        last = top;
        plot.setAttribute("transform", `translate(0 ${-above})`);
        lost = Math.max(lost, above + closeRows(plot));
      }
      svg.setAttribute("viewBox", `0 0 ${width} ${high - lost}`);
    }
  }

  function closeRows(plot) {
    const step = Number(plot.dataset.step);
    let gap = 0;
    const shifts = all('[data-part="row"]', plot).map((row) => {
      const here = row.classList.contains("gone") ? null : gap;
      if (here === null) gap += step;
      else row.setAttribute("transform", `translate(0 ${-here})`);
      return here;
    });
    for (const tie of all("[data-tie]", plot)) {
      if (!drawn.has(tie)) drawn.set(tie, [...tie.getAttribute("d").matchAll(/M([\d.]+) ([\d.]+)h/g)]);
      const places = tie.dataset.tie.split(" ").map((place) => shifts[place]);
      const ends = drawn.get(tie).map(([, x, y], at) => [x, y - places[at]]).filter((_, at) => places[at] !== null);
      tie.classList.toggle("gone", ends.length < 2);
      if (ends.length < 2) continue;
      const ticks = ends.map(([x, y]) => `M${x} ${y}h-4`).join("");
      tie.setAttribute("d", `M${ends[0][0]} ${ends[0][1]}V${ends[ends.length - 1][1]}${ticks}`);
    }
    one('[data-part="grid"]', plot).style.clipPath = gap ? `inset(-1px -1px ${gap + 1}px)` : "";
    one('[data-part="foot"]', plot).setAttribute("transform", `translate(0 ${-gap})`);
    return gap;
  }

  // ---- The choices in the address

  const isState = (hash) => hash.includes("=");

  function remember(at) {
    const state = new URLSearchParams();
    for (const each of filters) if (each.value) state.set(each.dataset.filter, each.value);
    for (const each of dates) if (each.value) state.set(`from-${each.dataset.from}`, each.value);
    if (find && find.value) state.set("find", find.value);
    const hidden = picks.filter((each) => !each.checked).map((each) => each.dataset.pick);
    if (hidden.length) state.set("hide", hidden.join(","));
    if (compare && compare.value) state.set("baseline", compare.value);
    if (scales.size) state.set("scale", [...scales].join(","));
    const chosen = state.toString();
    if (at && chosen) state.set("at", at);
    history.replaceState(null, "", chosen ? `#${state}` : at ? `#${at}` : location.pathname + location.search);
  }

  function recall() {
    const hash = location.hash.slice(1);
    if (!isState(hash)) {
      if (hash) reveal(decodeURIComponent(hash));
      return;
    }
    const state = new URLSearchParams(hash);
    for (const each of filters) each.value = state.get(each.dataset.filter) || "";
    for (const each of dates) each.value = state.get(`from-${each.dataset.from}`) || "";
    if (find) find.value = state.get("find") || "";
    const hidden = (state.get("hide") || "").split(",");
    for (const each of picks) each.checked = !hidden.includes(each.dataset.pick);
    if (compare) compare.value = state.get("baseline") || "";
    for (const name of (state.get("scale") || "").split(",")) if (name) rescale(name);
    apply();
    relate();
    if (state.get("at")) reveal(state.get("at"));
  }

  function reveal(id) {
    const target = document.getElementById(id);
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    const part = one(":scope > .part", target);
    if (part) part.open = true;
    target.scrollIntoView();
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#"]');
    if (!link) return;
    const id = decodeURIComponent(link.getAttribute("href").slice(1));
    if (!document.getElementById(id)) return;
    event.preventDefault();
    if (isState(location.hash)) remember(id);
    else if (location.hash !== `#${id}`) history.pushState(null, "", `#${id}`);
    reveal(id);
    const target = document.getElementById(id);
    const focus = target.matches("details") ? one("summary", target) : target;
    if (!focus.matches("summary")) focus.setAttribute("tabindex", "-1");
    focus.focus({ preventScroll: true });
  });

  // ---- Another baseline: only the ratio of two estimates, since no interval was computed for it

  const first = new Map();

  function relate() {
    if (!compare) return;
    const chosen = compare.value;
    let kept = true; // every ratio is one that the study computed
    for (const table of all("table.overview")) {
      const base = all(`table.overview tbody tr[data-arm="${CSS.escape(chosen)}"]`).find(
        (row) => row.closest("table").dataset.group === table.dataset.group,
      );
      const value = base ? valueOf(base) : NaN;
      const own = chosen === "" || (base && one("td.ratio[data-own]", base)); // with the intervals of the study
      if (!own) kept = false;
      for (const cell of all("td.ratio", table)) {
        if (!first.has(cell)) first.set(cell, [[...cell.childNodes].map((node) => node.cloneNode(true)), cell.dataset.value]);
        if (own) {
          const [nodes, number] = first.get(cell);
          cell.replaceChildren(...nodes.map((node) => node.cloneNode(true)));
          if (number === undefined) delete cell.dataset.value;
          else cell.dataset.value = number;
          continue;
        }
        const row = cell.closest("tr");
        const ratio = valueOf(row) / value;
        const known = Number.isFinite(ratio);
        const doubt = [row, base].map((each) => each && one(".mark", compared(each) || each)).find(Boolean);
        const shown = document.createElement("span"); // one box, also where the field is a grid
        shown.textContent = row === base ? "baseline" : known ? `${ratio.toPrecision(3)}×` : "–";
        cell.replaceChildren(shown);
        if (known) cell.dataset.value = String(ratio);
        else delete cell.dataset.value;
        if (known && row !== base && doubt) shown.append(doubt.cloneNode(true));
      }
      const head = one("th[data-ratio]", table);
      if (head && !first.has(head)) first.set(head, head.textContent);
      const name = own ? first.get(head) : `relative to ${compare.selectedOptions[0].textContent}`;
      if (head) (one("button", head) || head).textContent = name;
    }
    one(".baseline [role=status]").textContent =
      chosen === "" || kept ? "" : "Ratios of the two estimates, without an interval: the study did not compare with this arm.";
  }

  // The number that is compared: the one before the ratios.
  function compared(row) {
    const heads = all("thead th", row.closest("table"));
    return row.children[heads.findIndex((head) => head.hasAttribute("data-ratio")) - 1];
  }

  // NaN where there is only a bound: it has no ratio.
  function valueOf(row) {
    const cell = compared(row);
    if (!cell || cell.dataset.value === undefined || /^[≥≤]/.test(cell.textContent.trim())) return NaN;
    return Number(cell.dataset.value);
  }

  // ---- Sorting

  function sortBy(head) {
    const table = head.closest("table");
    const place = [...head.parentElement.children].indexOf(head);
    const up = head.getAttribute("aria-sort") === "descending";
    for (const each of all("th[aria-sort]", table)) each.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = (row) => {
      const cell = row.children[place];
      if (!cell || cell.colSpan > 1) return null;
      if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
      return cell.tagName === "TH" ? cell.textContent.trim() : null;
    };
    const keyed = [...table.tBodies[0].rows].map((row) => [key(row), row]);
    keyed.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      const order = typeof a === "string" ? -String(a).localeCompare(String(b), "en", { numeric: true }) : a - b;
      return up ? order : -order;
    });
    table.tBodies[0].append(...keyed.map(([, row]) => row));
  }

  for (const head of all("table.sorts th[data-sort]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sortBy(head));
  }

  // ---- Tooltips, by pointer, by focus, and by arrow keys inside a chart

  const tip = document.createElement("div");
  tip.id = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;
  document.body.append(tip);
  let at = null; // the mark that the arrow keys are on
  let told = null; // the mark that the tip belongs to

  function show(mark) {
    tip.textContent = mark.dataset.tip;
    tip.hidden = false;
    told = mark;
    place();
  }

  function place() {
    if (!told) return;
    const mark = told;
    const box = mark.getBoundingClientRect();
    const left = Math.min(Math.max(8, box.left + box.width / 2 - tip.offsetWidth / 2), innerWidth - tip.offsetWidth - 8);
    const above = box.top - tip.offsetHeight - 8;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${above > 8 ? above : box.bottom + 8}px`;
  }

  function hide() {
    tip.hidden = true;
    told = null;
    if (at) at.classList.remove("at");
    at = null;
  }

  const marked = (event) => event.target.closest && event.target.closest("[data-tip]");
  document.addEventListener("pointerover", (event) => (marked(event) ? show(marked(event)) : hide()));
  document.addEventListener("focusin", (event) => (marked(event) ? show(marked(event)) : hide()));
  document.addEventListener("scroll", place, { passive: true, capture: true });

  const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const chart = event.target.classList && event.target.classList.contains("chart") ? event.target : null;
    if (!chart || !(event.key in STEPS)) return;
    const marks = all("[data-tip]", chart).filter((mark) => mark.getClientRects().length > 0);
    if (!marks.length) return;
    event.preventDefault();
    const next = (marks.indexOf(at) + STEPS[event.key] + marks.length + (at || STEPS[event.key] > 0 ? 0 : 1)) % marks.length;
    hide();
    at = marks[next];
    at.classList.add("at");
    show(at);
  });

  // ---- Scales, copies, print

  function rescale(name) {
    const chart = document.getElementById(`chart-${name}`);
    const button = one(`[data-scale="${CSS.escape(name)}"]`);
    if (!chart || !button) return;
    const other = one(".other", chart);
    const wide = one(".wide", chart);
    other.hidden = !other.hidden;
    wide.hidden = !other.hidden;
    button.setAttribute("aria-pressed", String(!other.hidden));
    if (other.hidden) scales.delete(name);
    else scales.add(name);
  }

  for (const button of all("[data-scale]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      rescale(button.dataset.scale);
      remember();
    });
  }
  for (const button of navigator.clipboard ? all("[data-copy]") : []) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      button.textContent = "Copied";
    });
  }

  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not([open])");
    for (const each of folded) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of folded) each.open = false;
  });

  // ---- On a phone, the parts of a report after the first charts are folded

  function foldPart(section) {
    const head = one("h2", section);
    const rest = [...section.childNodes].filter((each) => each !== head);
    const part = document.createElement("details");
    const summary = document.createElement("summary");
    part.className = "part";
    part.append(summary, ...rest);
    section.append(part);
    summary.append(head);
  }

  if (one("nav.contents") && matchMedia("screen and (max-width: 34rem)").matches) {
    const parts = all("main > section");
    const charts = parts.findIndex((part) => one("figure", part));
    for (const part of parts.slice(charts + 1)) if (one("h2", part) && !part.matches(".answer, .notes")) foldPart(part);
  }

  // ---- Begin

  if (form) {
    form.hidden = false;
    const changed = () => {
      apply();
      remember();
    };
    form.addEventListener("input", changed);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(changed));
  }
  if (compare) {
    compare.closest(".baseline").hidden = !one("th[data-ratio]");
    compare.addEventListener("change", () => {
      relate();
      remember();
    });
  }
  addEventListener("hashchange", recall);
  recall();
})();
