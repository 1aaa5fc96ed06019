// The console's only script. Every page works without it: it adds live parts, quick filters, keys, and moving drawings.
"use strict";

(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Live parts: whatever the stream sends takes the place of what the element holds; its HTML is escaped by the server.
  function listen(element) {
    const source = new EventSource(element.dataset.live);
    source.addEventListener("part", (event) => { element.innerHTML = event.data; });
    source.addEventListener("done", () => { source.close(); element.dataset.done = "true"; });
    addEventListener("pagehide", () => source.close());
  }

  // Quick filter: hides the rows (or `data-item`s) of its target that do not hold every word, and says how many are left.
  function filter(input) {
    const target = document.querySelector(input.dataset.filter);
    if (!target) return;
    const said = document.createElement("span");
    said.className = "aside";
    said.setAttribute("role", "status");
    input.after(said);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const rows = all("tbody tr, [data-item]", target);
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
      said.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} shown`;
    });
  }

  // Drawings: drag or arrow keys move, wheel or + and - zoom, 0 shows all again.
  function pan(svg) {
    const whole = svg.viewBox.baseVal;
    const home = [whole.x, whole.y, whole.width, whole.height];
    let box = [...home];
    const show = () => svg.setAttribute("viewBox", box.map((n) => n.toFixed(2)).join(" "));
    const zoom = (factor, x = box[0] + box[2] / 2, y = box[1] + box[3] / 2) => {
      const width = Math.min(Math.max(box[2] * factor, home[2] / 40), home[2] * 2);
      const by = width / box[2];
      box = [x - (x - box[0]) * by, y - (y - box[1]) * by, width, box[3] * by];
      show();
    };
    const at = (event) => new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    let held = null;
    svg.addEventListener("pointerdown", (event) => {
      if (event.target.closest("a")) return;
      held = at(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (!held) return;
      const now = at(event);
      box = [box[0] + held.x - now.x, box[1] + held.y - now.y, box[2], box[3]];
      show();
    });
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { held = null; });
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const point = at(event);
      zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, point.x, point.y);
    }, { passive: false });
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    svg.addEventListener("keydown", (event) => {
      const move = moves[event.key];
      if (move) box = [box[0] + move[0] * box[2] / 10, box[1] + move[1] * box[3] / 10, box[2], box[3]];
      else if (event.key === "0") box = [...home];
      else if (event.key === "+" || event.key === "=") return zoom(1 / 1.25);
      else if (event.key === "-") return zoom(1.25);
      else return undefined;
      event.preventDefault();
      event.stopPropagation();
      return show();
    });
  }

  // Keys: `?` shows them all, `/` goes to the filter, `g` and a letter to a place, `j` and `k` along the rows, Enter opens.
  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");
  let going = 0;
  let row = -1;
  function step(by) {
    const rows = all("main tbody tr, main [data-item]").filter((one) => !one.hidden);
    if (!rows.length) return;
    rows[row]?.classList.remove("chosen");
    row = Math.min(Math.max(row + by, 0), rows.length - 1);
    rows[row].classList.add("chosen");
    const link = rows[row].querySelector("a[href]");
    if (link) link.focus({ preventScroll: true });
    rows[row].scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (going && Date.now() - going < 1200) {
      const link = all(".places a[data-key]").find((one) => one.dataset.key === event.key);
      going = 0;
      if (link) { event.preventDefault(); link.click(); return; }
    }
    const does = {
      g: () => { going = Date.now(); },
      j: () => step(1),
      k: () => step(-1),
      "/": () => document.querySelector("[data-filter], .filter input")?.focus(),
      "?": () => document.getElementById("keys")?.showModal(),
    }[event.key];
    if (!does) return;
    if (event.key !== "g") event.preventDefault();
    does();
  });

  // What cannot be undone asks first; a form that was sent is not sent twice; a choice that filters sends its form.
  document.addEventListener("submit", (event) => {
    const ask = event.target.dataset.ask;
    if (ask && !confirm(ask)) { event.preventDefault(); return; }
    for (const button of all("button", event.target)) setTimeout(() => { button.disabled = true; });
  });
  addEventListener("pageshow", () => all("button[disabled]:not([data-off])").forEach((one) => { one.disabled = false; }));
  document.addEventListener("change", (event) => {
    if (event.target.matches("select[data-sends]")) event.target.form.requestSubmit();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-keys]")) document.getElementById("keys").showModal();
    const copied = event.target.closest("[data-copy]");
    if (copied) navigator.clipboard?.writeText(document.querySelector(copied.dataset.copy).textContent);
  });

  all("[data-live]").forEach(listen);
  all("[data-filter]").forEach(filter);
  all("svg[data-pan]").forEach(pan);
  all("[data-scripted]").forEach((one) => { one.hidden = false; });
})();
