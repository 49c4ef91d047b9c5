// The words of a mark beside the pointer, and the button that copies the command. The page is whole without it.
"use strict";
(() => {
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  document.body.append(tip);
  document.addEventListener("pointermove", (event) => {
    const mark = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    tip.style.left = `${Math.min(event.pageX + 14, window.scrollX + window.innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.pageY + 14}px`;
  });

  const copy = document.getElementById("copy");
  if (copy && navigator.clipboard) {
    copy.hidden = false;
    copy.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById("command").textContent);
      copy.textContent = "Copied";
    });
  }
})();
