// The ledger browser: a slider beside a field for the event; when it is let go, the page is shown as of then.
"use strict";

(() => {
  for (const slider of document.querySelectorAll("[data-slides]")) {
    const field = document.getElementById(slider.dataset.slides);
    slider.addEventListener("input", () => { field.value = slider.value === slider.max ? "" : slider.value; });
    slider.addEventListener("change", () => field.form.requestSubmit());
  }
})();
