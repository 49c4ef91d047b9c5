// Replaces the parts of the live page that have changed. All of them come from the server as HTML.
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
