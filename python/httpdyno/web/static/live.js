// Keeps the live page up to date. Its parts come from the server as HTML, when they show something else; the numbers and the
// points of its charts come once a second.
"use strict";
(() => {
  const live = document.getElementById("live");
  const address = live && live.dataset.events;
  if (!address) return;
  const lost = document.getElementById("lost");
  const spoken = document.getElementById("spoken");

  // Keeps what the reader has opened and focused.
  const replace = (part, html) => {
    const open = [...part.querySelectorAll("details")].map((one) => one.open);
    const held = part.contains(document.activeElement) ? document.activeElement : null;
    const place = held ? [...part.querySelectorAll("button, summary, a, [tabindex]")].indexOf(held) : -1;
    const scrolled = [...part.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
    part.innerHTML = html;
    part.querySelectorAll("details").forEach((one, at) => { one.open = open[at] || false; });
    part.querySelectorAll(".scroll").forEach((one, at) => { one.scrollLeft = scrolled[at] || 0; });
    if (place >= 0) {
      const again = part.querySelectorAll("button, summary, a, [tabindex]")[place];
      if (again) again.focus({ preventScroll: true });
    }
  };

  let over = false;
  let said = "";
  const speak = () => {
    const title = document.querySelector("#part-answer .lead, #part-now h2");
    const chip = document.querySelector("#part-status .chip");
    const words = [chip && chip.textContent, title && title.textContent].filter(Boolean).join(": ");
    if (words !== said) { said = words; spoken.textContent = words; }
  };

  // A figure: its value, what it is about, true if it is doubtful.
  const figure = (box, [value, about, doubtful]) => {
    const shown = [value];
    if (doubtful) {
      const mark = document.createElement("span");
      mark.className = "mark";
      mark.ariaHidden = "true";
      mark.textContent = "!";
      shown.push(" ", mark);
    }
    if (about) {
      const small = document.createElement("small");
      small.textContent = about;
      shown.push(small);
    }
    box.classList.toggle("doubtful", doubtful);
    box.querySelector("dd").replaceChildren(...shown);
  };

  // Rows of points: the time, then a value for each line of all charts, null where there is none.
  let rows = [];
  const thinned = () => {
    const size = Math.ceil(rows.length / 240);
    if (size <= 1) return rows;
    const highest = (group) => group[0].map((_, column) => {
      const values = group.map((row) => row[column]).filter((one) => one !== null);
      return values.length ? Math.max(...values) : null;
    });
    return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => highest(rows.slice(at * size, (at + 1) * size)));
  };
  const path = (points, column, svg, [first, last, low, high]) => {
    const { width, height } = svg.viewBox.baseVal;
    const log = "log" in svg.dataset;
    const scale = log ? Math.log : Number;
    let steps = "";
    let begun = false;
    for (const row of points) {
      const value = row[column];
      if (value === null || (log && value <= 0)) {
        if (!("joined" in svg.dataset)) begun = false;
        continue;
      }
      const across = (row[0] - first) / (last - first) * width;
      const up = (scale(Math.max(value, low)) - scale(low)) / (scale(high) - scale(low));
      steps += `${begun ? "L" : "M"}${across.toFixed(1)} ${(height * (1 - Math.min(1, up))).toFixed(1)}${begun ? "" : "h0.01"}`;
      begun = true;
    }
    return steps;
  };
  const draw = (chart, points, axes) => {
    const [top, bottom, left, right, latest] = axes.slice(4);
    const svg = chart.querySelector("svg");
    for (const line of svg.children) {
      line.setAttribute("d", path(points, Number(line.dataset.column), svg, axes));
      line.classList.remove("alone");
    }
    const labels = [[".top", top], [".bottom", bottom], [".ends :first-child", left], [".ends :last-child", right]];
    for (const [which, words] of labels) chart.querySelector(which).textContent = words;
    chart.querySelectorAll(".key b").forEach((one, at) => { one.textContent = latest[at]; });
  };
  const now = (event) => {
    lost.hidden = true;
    const told = JSON.parse(event.data);
    const left = document.getElementById("time-left");
    if (left) left.textContent = told.left;
    const boxes = document.querySelectorAll("#part-now .figures > div");
    if (boxes.length === told.figures.length) boxes.forEach((box, at) => figure(box, told.figures[at]));
    if (told.anew) rows = [];
    for (const row of told.rows) {
      while (rows.length && rows.at(-1)[0] >= row[0]) rows.pop();
      rows.push(row);
    }
    const points = thinned();
    for (const [slug, axes] of Object.entries(told.charts)) {
      const chart = document.getElementById(`chart-${slug}`);
      if (chart) draw(chart, points, axes);
    }
  };

  let events = null;
  const parts = (event) => {
    lost.hidden = true;
    for (const [name, html] of Object.entries(JSON.parse(event.data))) {
      const part = document.getElementById(`part-${name}`);
      if (part) replace(part, html);
    }
    document.title = `${document.getElementById("part-title").textContent} · httpdyno`;
    speak();
  };
  const end = (event) => {
    events.close();
    over = true;
    lost.hidden = true;
    // The page of one run ends with it: its links lead nowhere now.
    if (JSON.parse(event.data)) document.getElementById("gone").hidden = false;
  };
  const open = () => {
    events = new EventSource(address);
    events.addEventListener("parts", parts);
    events.addEventListener("now", now);
    events.addEventListener("end", end);
    events.addEventListener("error", () => { lost.hidden = false; });
  };
  open();

  // A browser opens six connections to a server at most: a tab that nobody sees gives its own back.
  document.addEventListener("visibilitychange", () => {
    if (over) return;
    events.close();
    if (!document.hidden) open();
  });
})();
