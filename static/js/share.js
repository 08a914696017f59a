// Offers the phone's own way to share; without one the link leads to LINE.
(() => {
  "use strict";
  document.addEventListener("click", (event) => {
    const link = event.target.closest("#share");
    if (!link || !navigator.share) return;
    event.preventDefault();
    navigator.share({ text: link.dataset.text, url: link.dataset.url }).catch(() => {});
  });
})();
