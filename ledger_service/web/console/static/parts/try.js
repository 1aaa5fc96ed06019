// Try it: Ctrl and Enter ask what was typed, and it is said that an answer is on its way.
"use strict";

(() => {
  const typed = document.querySelector("textarea[data-asks]");
  if (!typed) return;
  typed.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    typed.form.requestSubmit(typed.form.querySelector("[data-ask-it]"));
  });
  typed.form.addEventListener("submit", () => {
    const waits = document.querySelector("[data-waits]");
    waits.textContent = waits.dataset.waits;
  });
  addEventListener("pageshow", () => { document.querySelector("[data-waits]").textContent = ""; });
  if (document.getElementById("refused")) typed.focus();
})();
