// Fetches pages for the other behaviours, and knows the address of what is on the screen right now.
(() => {
  "use strict";
  const attsync = (window.attsync ||= {});
  const PATIENCE = 20000;

  const openCards = () => [...document.querySelectorAll("#cards > .card[open]")].map((card) => card.id);
  const openAtFirst = openCards().join();

  // Whether this page was asked for by its date, or as "today".
  attsync.dated = new URLSearchParams(location.search).has("date");

  // Where we are, with the cards as they lie open now, and without the message of what was done.
  attsync.here = () => {
    const said = new URLSearchParams(location.search);
    said.set("date", document.body.dataset.day);
    said.delete("done");
    if (openCards().join() !== openAtFirst) {
      said.delete("open");
      openCards().forEach((card) => said.append("open", card));
    }
    return said;
  };

  attsync.remember = (said) => {
    if (!attsync.dated) said.delete("date");
    const query = said.toString();
    history.replaceState(history.state, "", location.pathname + (query && `?${query}`) + location.hash);
  };

  attsync.signIn = () => {
    const back = location.pathname + location.search + location.hash;
    location.assign(`${location.pathname}?next=${encodeURIComponent(back)}`);
  };

  // Returns the answer with its page parsed, or null if this browser has been signed out (and goes to sign in).
  attsync.ask = async (url, options = {}) => {
    const headers = { "X-Requested-With": "fetch", ...options.headers };
    const answer = await fetch(url, { ...options, headers, cache: "no-store", signal: AbortSignal.timeout?.(PATIENCE) });
    const doc = answer.status === 304 ? null : new DOMParser().parseFromString(await answer.text(), "text/html");
    if (doc?.body.classList.contains("door")) {
      attsync.signIn();
      return null;
    }
    return { status: answer.status, doc, etag: answer.headers.get("ETag"), fresh: answer.headers.get("X-Fresh") };
  };
})();
