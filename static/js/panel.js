// Puts the cursor into a panel of the bar that was just opened; Escape closes it.
(() => {
  "use strict";
  document.querySelectorAll(".drop").forEach((drop) => {
    drop.addEventListener("toggle", () => {
      if (drop.open) drop.querySelector("input:not([type=hidden])")?.select();
    });
    drop.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      drop.open = false;
      drop.querySelector("summary").focus();
    });
  });
})();
