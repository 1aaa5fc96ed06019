// Replay: the arrow keys lead from event to event.
"use strict";

(() => {
  const steps = document.querySelector("[data-steps]");
  if (!steps) return;
  const keys = { ArrowLeft: "prev", ArrowRight: "next" };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const link = steps.querySelector(`a[rel="${keys[event.key]}"]`);
    if (link) { event.preventDefault(); link.click(); }
  });
})();
