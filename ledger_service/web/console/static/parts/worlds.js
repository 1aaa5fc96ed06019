// The editor of worlds: line numbers beside the text, links that go to their line in it, and a word before it is left.
"use strict";

(() => {
  const form = document.querySelector("form[data-edits]");
  if (!form) return;
  const text = form.querySelector("textarea");
  const gutter = form.querySelector("[data-gutter]");
  let lines = 0;

  function number() {
    const now = text.value.split("\n").length;
    if (now !== lines) gutter.textContent = Array.from({ length: now }, (_, n) => n + 1).join("\n") + "\n\n\n";
    lines = now;
    gutter.scrollTop = text.scrollTop;
  }
  gutter.hidden = false;
  number();
  text.addEventListener("input", number);
  text.addEventListener("scroll", () => { gutter.scrollTop = text.scrollTop; });

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-line]");
    if (!link) return;
    event.preventDefault();
    const rows = text.value.split("\n");
    const line = Math.min(Number(link.dataset.line), rows.length);
    const start = rows.slice(0, line - 1).reduce((sum, row) => sum + row.length + 1, 0);
    text.focus();
    text.setSelectionRange(start, start + rows[line - 1].length);
    text.scrollTop = (line - 4) * (text.scrollHeight / rows.length);
    text.scrollIntoView({ block: "nearest" });
  });

  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    form.requestSubmit(form.querySelector("[data-check]"));
  });

  let isSent = false;
  form.addEventListener("submit", () => { isSent = true; });
  addEventListener("beforeunload", (event) => {
    const isTyped = text.value !== text.defaultValue || "unsaved" in form.dataset;
    if (isTyped && !isSent) event.preventDefault();
  });
})();
