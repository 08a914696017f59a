// Shows the print button, which needs a script.
(() => {
  "use strict";
  const button = document.getElementById("print");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => print());
})();
