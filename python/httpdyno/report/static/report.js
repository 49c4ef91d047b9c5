// Makes each chart interactive when it comes into view. The static drawing stays until the new one is ready, and for
// good if anything fails.
"use strict";
(() => {
  const specs = JSON.parse(document.getElementById("specs").textContent);

  // A chart keeps its own width if it has several columns, or if its words would not fit the page: the style sheet
  // then scales the whole. Others take the width of the page.
  const scaled = (chart) => chart.classList.contains("panels") || chart.clientWidth < specs[chart.dataset.name].width;

  async function enliven(chart) {
    const still = chart.firstElementChild;
    const live = document.createElement("div");
    live.className = scaled(chart) ? "live waiting scaled" : "live waiting";
    chart.append(live);
    try {
      await window.httpdynoEmbed(
        live,
        scaled(chart) ? specs[chart.dataset.name] : { ...specs[chart.dataset.name], width: "container" },
        { ast: true, renderer: "svg", actions: false, logLevel: 1, tooltip: { theme: "custom" } },
      );
      still.remove();
      live.classList.remove("waiting");
    } catch (error) {
      live.remove();
      console.error(error);
    }
  }

  const seen = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((each) => each.isIntersecting)) {
        seen.unobserve(entry.target);
        enliven(entry.target);
      }
    },
    { rootMargin: "300px" },
  );
  for (const chart of document.querySelectorAll(".chart")) seen.observe(chart);

  const copy = document.getElementById("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById("command").textContent);
      copy.textContent = "Copied";
    });
  }
})();
